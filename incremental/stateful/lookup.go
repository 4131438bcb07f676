package stateful

import (
	"context"
	"sync"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// LookupJoin
//
// State: none that is logged; a cache of rows, which a restart begins anew.
// +1/−1: only +1 comes: the planner refuses inputs that retract, since the table may have
// changed between a row and its retraction.
// Emitted: at once, as by StaticJoin, over the rows of the keys of each batch.
// Cost: one question to the table a batch, for its keys that are not in the cache.
// Restart: nothing to restore. A batch that is computed again may find newer rows; one
// whose result is logged is not computed again.

// Finder gives the static rows whose key columns have one of n keys: key i is row i of
// the vectors. Rows of other keys may be among them. The batches are the caller's.
type Finder func(ctx context.Context, keys []*vec.Vector, n int) ([]*vec.Batch, error)

// Lookup is the table's side of lookup joins, with the rows that were found lately. All
// workers share it.
type Lookup struct {
	cfg  StaticJoinConfig
	find Finder
	most int   // keys and rows in the cache
	ttl  int64 // µs

	mu    sync.Mutex
	ctx   context.Context // of the trigger under way
	cache map[string]found
	size  int
}

// found are the rows of a key, nil = none, and when they were asked for.
type found struct {
	rows *vec.Batch
	at   int64
}

// NewLookup makes the table's side; at most so many keys and rows are kept, for ttl µs.
func NewLookup(cfg StaticJoinConfig, find Finder, most int, ttl int64) *Lookup {
	return &Lookup{cfg: cfg, find: find, most: most, ttl: ttl, cache: map[string]found{}, ctx: context.Background()}
}

// During makes questions part of a trigger: they end with its context.
func (l *Lookup) During(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ctx = ctx
}

// Stage returns a stage for a worker.
func (l *Lookup) Stage() *LookupJoin { return &LookupJoin{l: l} }

// LookupJoin is one worker's stage of a lookup join.
type LookupJoin struct {
	l    *Lookup
	keys []*vec.Vector
	buf  []byte
}

// Process joins the rows of b that count with the rows of the table for their keys.
func (j *LookupJoin) Process(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	if b.Rows() == 0 {
		return nil
	}
	rows, err := j.rows(c.Now, b)
	if err != nil {
		return err
	}
	ix, err := NewStaticIndex(j.l.cfg, rows)
	if err != nil {
		return err
	}
	return ix.Stage().Process(c, b, emit)
}

// rows are the rows of the table for the keys of a batch.
func (j *LookupJoin) rows(now int64, b *vec.Batch) ([]*vec.Batch, error) {
	j.keys = j.keys[:0]
	for _, k := range j.l.cfg.InputKeys {
		j.keys = append(j.keys, b.Cols[k])
	}
	seen := map[string]bool{}
	var have []*vec.Batch
	var missing []int32 // a row of b for each key that is asked for
	j.l.mu.Lock()
	ctx := j.l.ctx
	b.Each(func(row int) {
		if j.null(row) {
			return
		}
		j.buf = vec.AppendRowKey(j.buf[:0], j.keys, row)
		if seen[string(j.buf)] {
			return
		}
		seen[string(j.buf)] = true
		switch f, ok := j.l.cache[string(j.buf)]; {
		case !ok || now-f.at > j.l.ttl && !mutant.On("rows that were looked up stay for ever"):
			missing = append(missing, int32(row))
		case f.rows != nil:
			have = append(have, f.rows)
		}
	})
	j.l.mu.Unlock()
	if len(missing) == 0 {
		return have, nil
	}
	more, err := j.l.ask(ctx, now, j.keys, missing)
	return append(have, more...), err
}

func (j *LookupJoin) null(row int) bool {
	for _, k := range j.keys {
		if k.IsNull(row) {
			return true
		}
	}
	return false
}

// ask finds the rows of keys, and keeps them by key: also that there are none.
func (l *Lookup) ask(ctx context.Context, now int64, keys []*vec.Vector, rows []int32) ([]*vec.Batch, error) {
	asked := make([]*vec.Vector, len(keys))
	of := make(map[string]found, len(rows))
	for i, k := range keys {
		asked[i] = vec.Gather(k, rows)
	}
	for i := range rows {
		of[string(vec.AppendRowKey(nil, asked, i))] = found{at: now}
	}
	batches, err := l.find(ctx, asked, len(rows))
	if err != nil {
		return nil, err
	}
	lists := map[string][]int32{}
	var out []*vec.Batch
	if len(batches) > 0 {
		all := vec.ConcatBatches(batches...)
		own := make([]*vec.Vector, len(keys))
		for i, k := range l.cfg.StaticKeys {
			own[i] = all.Cols[k]
		}
		for r := range all.N {
			key := string(vec.AppendRowKey(nil, own, r))
			if _, ok := of[key]; ok {
				lists[key] = append(lists[key], int32(r))
			}
		}
		for key, list := range lists {
			f := found{rows: all.Gather(list).Clone(), at: now}
			of[key], out = f, append(out, f.rows)
		}
	}
	l.keep(of, now)
	return out, nil
}

// keep adds what was found to the cache, which first gives up what is old, then all.
func (l *Lookup) keep(of map[string]found, now int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	add := 0
	for _, f := range of {
		add += f.size()
	}
	if l.size+add > l.most {
		for k, f := range l.cache {
			if now-f.at > l.ttl {
				delete(l.cache, k)
				l.size -= f.size()
			}
		}
	}
	if l.size+add > l.most {
		clear(l.cache)
		l.size = 0
	}
	if add > l.most {
		return
	}
	for k, f := range of {
		if old, ok := l.cache[k]; ok {
			l.size -= old.size()
		}
		l.cache[k] = f
		l.size += f.size()
	}
}

func (f found) size() int {
	if f.rows == nil {
		return 1
	}
	return 1 + f.rows.N
}
