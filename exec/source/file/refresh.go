package file

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/source"
)

// again reads a location again, whole, whenever its files have changed. A range is all of
// its files as they are then; they must still be so when it is read.
type again struct {
	formats []*format.Format
	cfg     source.Config
	source  *Source // of the range planned last, or made to read a logged one
	last    []entry // what was read last; BatchID is the range
	offset  int64   // of the last range, −1 = none
	looked  int64   // µs: when it was last looked at

	committed atomic.Int64 // the last committed range, for Keep, which runs beside the rest
}

func openAgain(ctx context.Context, formats []*format.Format, c source.Config) (source.Source, error) {
	s, err := open(ctx, formats, c)
	return &again{formats: formats, cfg: c, source: s, offset: -1}, err
}

// Restore implements source.Source: the last range is what was read last.
func (a *again) Restore(r source.Range) error {
	files, err := decodeEntries(r)
	if err != nil {
		return a.source.wrap(err)
	}
	if len(r.Offset) > 0 {
		var at offset
		if err := json.Unmarshal(r.Offset, &at); err != nil || at.LogOffset == nil {
			return a.source.wrap(fmt.Errorf("offset %s is not that of a table that is read again", r.Offset))
		}
		a.offset = max(a.offset, *at.LogOffset)
	}
	for _, e := range files {
		a.offset = max(a.offset, e.BatchID)
	}
	a.last = append(a.last, files...)
	a.last = slices.DeleteFunc(a.last, func(e entry) bool { return e.BatchID < a.offset })
	return nil
}

// Plan implements source.Source.
func (a *again) Plan(ctx context.Context, _ source.Limits, _ source.Snapshot) (source.Range, bool, error) {
	now := a.cfg.Clock.Now().UnixMicro()
	if a.offset >= 0 && a.looked != 0 && now-a.looked < *a.cfg.Refresh {
		return source.Range{}, false, nil
	}
	a.looked = now
	s, err := open(ctx, a.formats, a.cfg)
	if err != nil {
		return source.Range{}, false, err
	}
	files, err := s.fresh(ctx, true)
	if err != nil {
		return source.Range{}, false, s.wrap(err)
	}
	taken, err := s.take(&files, source.Limits{})
	if err != nil {
		return source.Range{}, false, s.wrap(err)
	}
	if a.offset >= 0 && slices.EqualFunc(taken, a.last, func(x, y entry) bool {
		return x.Path == y.Path && x.Size == y.Size && x.MtimeUs == y.MtimeUs
	}) {
		return source.Range{}, false, nil
	}
	a.offset++
	for i := range taken {
		taken[i].BatchID = a.offset
	}
	a.source, a.last = s, taken
	r, err := encodeRange(a.offset, taken)
	return r, err == nil, err
}

// Snapshot implements source.Source. AVAILABLE NOW reads what is there in each trigger.
func (a *again) Snapshot(context.Context) (source.Snapshot, error) { return nil, nil }

// Splits implements source.Source.
func (a *again) Splits(ctx context.Context, r source.Range) ([]source.Split, error) {
	return a.source.Splits(ctx, r)
}

// Committed implements source.Source.
func (a *again) Committed(_ context.Context, r source.Range) error {
	var at offset
	if err := json.Unmarshal(r.Offset, &at); err == nil && at.LogOffset != nil {
		a.committed.Store(*at.LogOffset)
	}
	return nil
}

// Keep implements source.Keeper: what a later range replaced is not needed.
func (a *again) Keep(line json.RawMessage) bool {
	var e entry
	return json.Unmarshal(line, &e) != nil || e.BatchID >= a.committed.Load()
}

// Finished implements source.Source.
func (a *again) Finished() bool { return false }

// Description implements source.Source.
func (a *again) Description() string { return a.source.Description() + ", read again" }

// Close implements source.Source.
func (a *again) Close() error { return a.source.Close() }
