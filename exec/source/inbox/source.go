package inbox

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Settings say what kind of source it is whose rows come through a box.
type Settings struct {
	Description string // "SocketSource[localhost:9999]"
	Instance    string // differs between any two times that a source is opened
	Format      *format.Format
	Decoded     option.Decoded // of the format's ReadOptions among others
	Unlogged    bool           // rows do not go into the log: after a crash they are gone
	Loses       bool           // rows that no range took are gone with the program
	Shared      bool           // the box outlives the source: other sources take from it later
	Keys        *Keys          // nil = parcels have none
	Close       func() error   // ends what fills the box; nil = nothing does
}

// Metadata are the columns that every source over a box has.
func Metadata() []types.Column {
	return []types.Column{
		{Name: "timestamp", Type: types.Of(types.Timestamp)},
		{Name: "origin", Type: types.Of(types.String)},
	}
}

// Source is a source.Source over a box.
type Source struct {
	cfg    source.Config
	box    *Box
	set    Settings
	dec    *decoder
	at     position
	mu     sync.Mutex
	kept   map[int64]*Parcel // of ranges that are not committed, by number
	losses []source.Loss
	told   bool         // of the rows between two runs
	missed int64        // number of the last parcel that was found to be lost
	behind atomic.Int64 // number of the first parcel of the last committed range
	over   bool
}

// New returns the source. It closes the box, and what fills it, with itself.
func New(c source.Config, box *Box, set Settings) (*Source, error) {
	s := &Source{cfg: c, box: box, set: set, kept: map[int64]*Parcel{}, at: position{Instance: set.Instance}}
	var err error
	s.dec, err = newDecoder(c, set)
	return s, err
}

// Restore implements source.Source.
func (s *Source) Restore(r source.Range) error {
	entries, err := decode(r)
	if err != nil {
		return s.wrap(err)
	}
	for _, e := range entries {
		if e.Key != "" && s.set.Keys != nil && !mutant.On("idempotency keys are forgotten at a restart") {
			s.set.Keys.remember(e.Key, e.Rows)
		}
	}
	if len(r.Offset) == 0 {
		return nil
	}
	p := position{Parcels: -1}
	if err := json.Unmarshal(r.Offset, &p); err != nil || p.Parcels < 0 || p.Instance == "" {
		return s.wrap(fmt.Errorf("offset %s is not that of rows that arrived", r.Offset))
	}
	s.noteGap(p)
	p.Instance = s.set.Instance
	s.at = p
	return nil
}

// noteGap notes, once, that rows may have been lost between another run and this one.
func (s *Source) noteGap(p position) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.set.Loses && p.Instance != s.set.Instance && !s.told {
		s.told = true
		s.losses = append(s.losses, source.Loss{From: p.Rows, To: -1,
			Reason: "what had arrived when the last run ended, and no batch had taken, is gone with it, and so is what came while nobody read; nobody knows how many rows"})
	}
}

// Snapshot implements source.Source: the number of parcels that arrived.
func (s *Source) Snapshot(context.Context) (source.Snapshot, error) { return s.box.arrived(), nil }

// Plan implements source.Source. A table waits for rows, or for their end.
func (s *Source) Plan(ctx context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	if s.cfg.Finite {
		if err := s.box.wait(ctx); err != nil {
			return source.Range{}, false, err
		}
	}
	last := int64(math.MaxInt64)
	if n, ok := upTo.(int64); ok {
		last = n
	}
	parcels := s.box.take(last, l.Rows, l.Bytes)
	over, err := s.box.state()
	s.over = over
	if len(parcels) == 0 {
		return source.Range{}, false, s.wrap(err)
	}
	s.keep(parcels)
	r, err := encode(s.at, parcels, s.cfg.Replay && !s.set.Unlogged)
	return r, err == nil, s.wrap(err)
}

// keep numbers parcels, and holds them until their range is committed.
func (s *Source) keep(parcels []*Parcel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range parcels {
		s.at.Parcels++
		s.at.Rows += p.Rows
		p.number = s.at.Parcels
		s.kept[p.number] = p
	}
}

// parcels are those of a range: as they arrived, or from the log. What is in neither is
// lost.
func (s *Source) parcels(r source.Range) ([]*Parcel, error) {
	entries, err := decode(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*Parcel
	gone := int64(0)
	for i := range entries {
		e := &entries[i]
		p, ok := s.kept[e.Parcel]
		switch {
		case e.Key != "":
		case ok && !mutant.On("what a range took is not held"):
			out = append(out, p)
		case e.Data != nil || e.Bad != "":
			out = append(out, e.parcel())
		case e.Parcel > s.missed:
			s.missed, gone = e.Parcel, gone+e.Rows
		}
	}
	return out, s.noteLost(r, gone)
}

// noteLost notes that so many rows of a range cannot be read again.
func (s *Source) noteLost(r source.Range, rows int64) error {
	if rows == 0 {
		return nil
	}
	var p position
	if err := json.Unmarshal(r.Offset, &p); err != nil {
		return fmt.Errorf("offset %s is not that of rows that arrived", r.Offset)
	}
	s.losses = append(s.losses, source.Loss{From: p.Rows - rows, To: p.Rows,
		Reason: "they were in the memory of a program that died in the middle of their batch, and not in its log"})
	return nil
}

// Splits implements source.Source.
func (s *Source) Splits(_ context.Context, r source.Range) ([]source.Split, error) {
	parcels, err := s.parcels(r)
	if err != nil {
		return nil, s.wrap(err)
	}
	return s.dec.splits(parcels), nil
}

// Durable implements source.Acknowledger.
func (s *Source) Durable(r source.Range) error {
	entries, err := decode(r)
	if err != nil {
		return s.wrap(err)
	}
	for _, e := range entries {
		if e.Key != "" && s.set.Keys != nil {
			s.set.Keys.remember(e.Key, e.Rows)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		if p, ok := s.kept[e.Parcel]; ok {
			p.settle(nil)
		}
	}
	return nil
}

// Committed implements source.Source.
func (s *Source) Committed(_ context.Context, r source.Range) error {
	entries, err := decode(r)
	if err != nil {
		return s.wrap(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		delete(s.kept, e.Parcel)
	}
	if len(entries) > 0 {
		s.behind.Store(entries[0].Parcel)
	}
	return nil
}

// Keep implements source.Keeper: rows that are committed are not read again. Keys are
// kept while they are remembered.
func (s *Source) Keep(line json.RawMessage) bool {
	var e entry
	if json.Unmarshal(line, &e) != nil || e.Parcel >= s.behind.Load() {
		return true
	}
	return e.Key != "" && s.set.Keys != nil && s.set.Keys.remembers(e.Key)
}

// Losses implements source.Lossy. Rows are numbered from 0, over all runs.
func (s *Source) Losses() []source.Loss {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.losses)
}

// Backlog implements source.Backlogged.
func (s *Source) Backlog() (rows int64, ok bool) { return s.box.waiting(), true }

// Finished implements source.Source.
func (s *Source) Finished() bool { return s.over }

// Description implements source.Source.
func (s *Source) Description() string { return s.set.Description }

// Close implements source.Source. Who waits for the fate of rows that no range took is
// told.
func (s *Source) Close() error {
	var rest []*Parcel
	if !s.set.Shared {
		rest = s.box.drain()
	}
	s.mu.Lock()
	for _, p := range s.kept {
		rest = append(rest, p)
	}
	s.mu.Unlock()
	for _, p := range rest {
		p.settle(ErrClosed)
	}
	if s.set.Close == nil {
		return nil
	}
	return s.set.Close()
}

func (s *Source) wrap(err error) error { return source.Named(s.cfg.Name, err) }
