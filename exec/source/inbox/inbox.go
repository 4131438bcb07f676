// Package inbox owns rows that arrive by themselves (lines from a socket, bodies of
// HTTP requests, standard input) from their arrival until a batch that took them is
// committed: a bounded queue, the log entries that hold them, and how they are
// decoded. The sources that fill an inbox are its neighbours; it knows neither
// networks nor files. Open this file first, then source.go (the source.Source over an
// inbox), entry.go (what it leaves in a checkpoint) and read.go (decoding).
package inbox

import (
	"context"
	"errors"
	"sync"
)

// Parcel is some rows that arrived together: whole rows of the source's format.
type Parcel struct {
	Head  []byte // goes before Data when it is decoded: the header line of CSV
	Data  []byte
	Rows  int64  // lines in Data, or rows if the sender has counted them
	Line  int64  // number of the first line in what it came from, from 1
	From  string // what it came from, for positions: "127.0.0.1:9999"
	At    int64  // when it arrived, µs
	Key   string // by which a repetition is known; "" = none
	Whole bool   // Data is one value over several lines
	Bad   string // Data is the beginning of a row that cannot be one, for this reason
	// Settled is told once: nil when the rows can no longer be lost, else why they were
	// not taken. It must not wait; nil = nobody asks.
	Settled func(error)

	number int64 // among all parcels of the source, in all runs; 0 = not taken
}

func (p *Parcel) settle(err error) {
	if p.Settled != nil {
		p.Settled(err)
		p.Settled = nil
	}
}

// size is about the memory that a parcel takes.
func (p *Parcel) size() int64 { return int64(len(p.Data)) + parcelBytes }

// parcelBytes is that of a parcel without rows.
const parcelBytes = 256

// ErrClosed is the answer of an inbox that takes nothing any more.
var ErrClosed = errors.New("the query that reads this source has ended")

// Box is the queue of parcels that no range took yet, and the parcels of ranges that
// are not committed. It is safe for concurrent use.
type Box struct {
	mu       sync.Mutex
	maxBytes int64
	maxCount int
	queue    []*Parcel
	bytes    int64 // of the queue
	put      int64 // parcels that arrived
	taken    int64 // and were taken
	ended    bool
	err      error         // why no more will come
	changed  chan struct{} // closed, and made anew, when any of this changes
}

// NewBox returns a box with room for so many bytes and parcels (0 = any number).
func NewBox(maxBytes int64, maxParcels int) *Box {
	return &Box{maxBytes: maxBytes, maxCount: maxParcels, changed: make(chan struct{})}
}

func (b *Box) notify() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// full reports that there is no room for a parcel. One that is larger than the box has
// room when the box is empty.
func (b *Box) full(p *Parcel) bool {
	if len(b.queue) == 0 {
		return false
	}
	return b.bytes+p.size() > b.maxBytes || b.maxCount > 0 && len(b.queue) >= b.maxCount
}

// Offer adds a parcel; false if there is no room.
func (b *Box) Offer(p *Parcel) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.ended:
		return false, ErrClosed
	case b.full(p):
		return false, nil
	}
	b.queue = append(b.queue, p)
	b.bytes += p.size()
	b.put++
	b.notify()
	return true, nil
}

// Put adds a parcel, and waits until there is room: who reads the rows reads no more
// meanwhile.
func (b *Box) Put(ctx context.Context, p *Parcel) error {
	for {
		change := b.changes()
		if ok, err := b.Offer(p); ok || err != nil {
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *Box) changes() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// End says that no more parcels will come: err is why, nil = that was all.
func (b *Box) End(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.ended, b.err = true, err
		b.notify()
	}
}

// arrived counts the parcels so far.
func (b *Box) arrived() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.put
}

// waiting counts the rows in the queue.
func (b *Box) waiting() (rows int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.queue {
		rows += p.Rows
	}
	return rows
}

// state tells whether no more will come and nothing is left, and why.
func (b *Box) state() (over bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended && len(b.queue) == 0, b.err
}

// wait returns when something is in the queue, or nothing will come any more.
func (b *Box) wait(ctx context.Context) error {
	for {
		b.mu.Lock()
		done, change := len(b.queue) > 0 || b.ended, b.changed
		b.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take removes parcels from the queue, in order: those of the first upTo that arrived, as
// many as the limits of rows and bytes say (0 = no limit), but one at least.
func (b *Box) take(upTo, rows, size int64) []*Parcel {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, r, s := 0, int64(0), int64(0)
	for _, p := range b.queue {
		r, s = r+p.Rows, s+p.size()
		if b.taken >= upTo || n > 0 && (rows > 0 && r > rows || size > 0 && s > size) {
			break
		}
		b.bytes -= p.size()
		b.taken++
		n++
	}
	if n == 0 {
		return nil
	}
	out := append([]*Parcel(nil), b.queue[:n]...)
	clear(b.queue[:n])
	b.queue = b.queue[n:]
	b.notify()
	return out
}

// drain ends the box and gives out what nobody took.
func (b *Box) drain() []*Parcel {
	b.End(ErrClosed)
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := b.queue
	b.queue, b.bytes = nil, 0
	return rest
}
