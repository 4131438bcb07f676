package inbox

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/sqlstream/sqlstream/exec/source"
)

// position is the offset in offsets/N: how many parcels ranges have taken, in all runs,
// about how many rows, and which run of the program took the last.
type position struct {
	Parcels  int64  `json:"parcels"`
	Rows     int64  `json:"rows"`
	Instance string `json:"instance"`
}

// entry is a line of the source log: a parcel, or the key of one, which is kept longer.
type entry struct {
	Parcel int64  `json:"parcel"`
	Rows   int64  `json:"rows"`
	At     int64  `json:"at_us,omitempty"`
	From   string `json:"from,omitempty"`
	Line   int64  `json:"line,omitempty"`
	Head   []byte `json:"head,omitempty"`
	Data   []byte `json:"data,omitempty"` // absent: the rows are not in the log
	Whole  bool   `json:"whole,omitempty"`
	Bad    string `json:"bad,omitempty"`
	Key    string `json:"key,omitempty"`
}

func (e *entry) parcel() *Parcel {
	return &Parcel{Head: e.Head, Data: e.Data, Rows: e.Rows, Line: e.Line, From: e.From, At: e.At, Whole: e.Whole, Bad: e.Bad, number: e.Parcel}
}

// encode makes the range of parcels. With logged, their rows are in it.
func encode(at position, parcels []*Parcel, logged bool) (r source.Range, err error) {
	if r.Offset, err = json.Marshal(at); err != nil {
		return r, err
	}
	for _, p := range parcels {
		e := entry{Parcel: p.number, Rows: p.Rows}
		if logged {
			e = entry{Parcel: p.number, Rows: p.Rows, At: p.At, From: p.From, Line: p.Line, Head: p.Head, Data: p.Data, Whole: p.Whole, Bad: p.Bad}
		}
		lines := []entry{e}
		if p.Key != "" {
			lines = append(lines, entry{Parcel: p.number, Rows: p.Rows, Key: p.Key})
		}
		for _, e := range lines {
			line, err := json.Marshal(e)
			if err != nil {
				return r, err
			}
			r.Entries = append(r.Entries, line)
		}
	}
	return r, nil
}

// decode reads the entries of a range.
func decode(r source.Range) ([]entry, error) {
	out := make([]entry, len(r.Entries))
	for i, line := range r.Entries {
		if err := json.Unmarshal(line, &out[i]); err != nil || out[i].Parcel <= 0 {
			return nil, fmt.Errorf("source log entry %d is not that of rows that arrived", i+1)
		}
	}
	return out, nil
}

// Keys remembers the last keys whose rows cannot be lost, and those under way. It is
// safe for concurrent use.
type Keys struct {
	mu     sync.Mutex
	most   int
	order  []string // remembered, oldest first
	known  map[string]int64
	flying map[string]chan struct{} // closed when it is settled
}

// NewKeys remembers at most so many keys.
func NewKeys(most int) *Keys {
	return &Keys{most: most, known: map[string]int64{}, flying: map[string]chan struct{}{}}
}

// Begin asks for a key: known tells that its rows, so many, have been taken; otherwise
// wait is what to wait for before asking again, nil if it is the caller's turn to send
// them, and then to call Settle.
func (k *Keys) Begin(key string) (rows int64, known bool, wait <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if rows, known := k.known[key]; known {
		return rows, true, nil
	}
	if c, ok := k.flying[key]; ok {
		return 0, false, c
	}
	k.flying[key] = make(chan struct{})
	return 0, false, nil
}

// Settle ends what Begin began. Rows that were taken are remembered already.
func (k *Keys) Settle(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c, ok := k.flying[key]; ok {
		close(c)
		delete(k.flying, key)
	}
}

// remember notes that the rows of a key cannot be lost.
func (k *Keys) remember(key string, rows int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.known[key]; ok {
		return
	}
	k.known[key] = rows
	k.order = append(k.order, key)
	if len(k.order) > k.most {
		delete(k.known, k.order[0])
		k.order = k.order[1:]
	}
}

func (k *Keys) remembers(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.known[key]
	return ok
}
