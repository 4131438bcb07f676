// Package mem owns the memory accountant: who holds how much, and how much there may
// be in all. It counts what it is told and frees nothing; who holds memory asks it,
// and decides what to write out. It knows nothing of what is held. It has one file.
package mem

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Accountant adds up the reservations of a query. Its methods may be called by
// several goroutines.
type Accountant struct {
	limit   int64
	current atomic.Int64
	peak    atomic.Int64

	mu   sync.Mutex
	held []*Reservation
}

// New returns an accountant with a limit in bytes; 0 = none.
func New(limit int64) *Accountant { return &Accountant{limit: limit} }

// Limit is the limit in bytes; 0 = none.
func (a *Accountant) Limit() int64 { return a.limit }

// Current is what is held now.
func (a *Accountant) Current() int64 { return a.current.Load() }

// Peak is the most that was ever held.
func (a *Accountant) Peak() int64 { return a.peak.Load() }

// Over is the number of bytes held beyond the limit; 0 if there are none.
func (a *Accountant) Over() int64 {
	if a.limit == 0 {
		return 0
	}
	return max(a.Current()-a.limit, 0)
}

// Reserve opens a reservation of no bytes for a holder, whose name appears in errors
// and progress: "HashAgg #3".
func (a *Accountant) Reserve(name string) *Reservation {
	r := &Reservation{of: a, name: name}
	a.mu.Lock()
	a.held = append(a.held, r)
	a.mu.Unlock()
	return r
}

// Usage is what one holder holds.
type Usage struct {
	Name          string
	Current, Peak int64
}

// Usage lists the holders in the order of Reserve.
func (a *Accountant) Usage() []Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make([]Usage, len(a.held))
	for i, r := range a.held {
		out[i] = Usage{r.name, r.current.Load(), r.peak.Load()}
	}
	return out
}

// add changes the total.
func (a *Accountant) add(delta int64) { raise(&a.peak, a.current.Add(delta)) }

// raise makes peak at least n.
func raise(peak *atomic.Int64, n int64) {
	for old := peak.Load(); n > old && !peak.CompareAndSwap(old, n); old = peak.Load() {
	}
}

// Reservation is what one holder holds. One goroutine at a time uses it.
type Reservation struct {
	of      *Accountant
	name    string
	current atomic.Int64
	peak    atomic.Int64
}

// Set says how much is held now. It never fails: the memory is already there.
func (r *Reservation) Set(bytes int64) {
	r.of.add(bytes - r.current.Swap(bytes))
	raise(&r.peak, bytes)
}

// Grow asks for more before it is taken: an error of type *LimitError, with nothing
// reserved, if that would exceed the limit.
func (r *Reservation) Grow(bytes int64) error {
	now := r.of.current.Add(bytes)
	if r.of.limit > 0 && now > r.of.limit {
		r.of.current.Add(-bytes)
		return &LimitError{Name: r.name, Want: bytes, Held: r.current.Load(), Total: now - bytes, Limit: r.of.limit}
	}
	raise(&r.of.peak, now)
	raise(&r.peak, r.current.Add(bytes))
	return nil
}

// Current is what the holder holds.
func (r *Reservation) Current() int64 { return r.current.Load() }

// Close gives everything back and removes the holder from Usage.
func (r *Reservation) Close() {
	r.Set(0)
	a := r.of
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, h := range a.held {
		if h == r {
			a.held = append(a.held[:i], a.held[i+1:]...)
			return
		}
	}
}

// LimitError says who asked for what when the limit was reached.
type LimitError struct {
	Name                     string
	Want, Held, Total, Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("memory limit of %d bytes reached: %s holds %d and needs %d more, %d are held in all",
		e.Limit, e.Name, e.Held, e.Want, e.Total)
}
