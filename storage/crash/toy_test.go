package crash_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/crash"
	"github.com/sqlstream/sqlstream/storage/state"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// The toy query counts rows by key. Row i has key i%keys and, since nothing
// may be computed twice, a random value that differs in every computation.
// A second operator keeps the last rows and drops older ones by range.
const (
	toyKeys = 5
	window  = 6
	padding = 0xcd
)

type toy struct {
	crash.Life
	rows     int64
	cp       *checkpoint.Checkpoint
	st       *state.Store
	src      *checkpoint.SourceLog
	counts   map[int64]count
	position int64
	pending  *checkpoint.Pending // offsets of the batch about to run
	next     span                // its range
}

type count struct {
	N   int64
	Sum uint64
}

type span struct{ From, To int64 }

type row struct {
	ID    int64
	Value uint64
}

// toyWork is the workload over that many rows.
func toyWork(rows int64) crash.Workload {
	return func(l crash.Life) error {
		t := &toy{Life: l, rows: rows, counts: map[int64]count{}}
		if err := t.open(); err != nil {
			return err
		}
		if err := t.recover(); err != nil {
			return err
		}
		for id := t.cp.LastOffsets() + 1; t.position < t.rows || t.pending != nil; id++ {
			if t.pending == nil {
				t.plan(id)
			}
			if err := t.batch(id, t.next); err != nil {
				return err
			}
		}
		return errors.Join(t.cp.Close(), t.st.Close())
	}
}

func (t *toy) open() (err error) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], t.Rand.Uint64())
	t.cp, err = checkpoint.Open(t.FS, t.Root+"/ckpt", checkpoint.Options{Keep: 3, Manual: true, Rand: bytes.NewReader(seed[:])})
	if err != nil {
		return err
	}
	if t.src, err = t.cp.Source("rows", checkpoint.SourceOptions{}); err != nil {
		return err
	}
	if err := vfs.MkdirAllSync(t.FS, t.Root+"/out"); err != nil {
		return err
	}
	// What the process before this one left of the sink may not be durable.
	if err := t.FS.SyncDir(t.Root + "/out"); err != nil {
		return err
	}
	t.st, err = state.Open(t.FS, t.cp.StateDir(), state.Options{Epoch: t.cp.Epoch(), Retain: 2,
		SegmentBytes: 60 << 10, GrowBytes: 64 << 10, MergeBytes: 20 << 10, BlockBytes: 1 << 10})
	return err
}

func (t *toy) recover() error {
	prepared, ok := t.st.Last()
	if !ok {
		prepared = checkpoint.NoBatch
	}
	r, err := t.cp.Plan(prepared)
	if err != nil {
		return err
	}
	if r.Discard != checkpoint.NoBatch {
		if err := t.st.Discard(r.Discard); err != nil {
			return err
		}
	}
	err = t.st.Load("count", func(k, v []byte) error {
		if len(v) < 16 {
			return fmt.Errorf("state of key %d has %d bytes", k[0], len(v))
		}
		t.counts[int64(k[0])] = count{int64(binary.BigEndian.Uint64(v)), binary.BigEndian.Uint64(v[8:])}
		return nil
	})
	if err != nil {
		return err
	}
	if r.Republish != checkpoint.NoBatch {
		p, err := t.st.Prepared(r.Republish)
		if err != nil {
			return err
		}
		if err := t.publish(r.Republish, p.Payload); err != nil {
			return err
		}
		t.cp.WriteCommit(r.Republish, nil)
	}
	if last := t.cp.LastOffsets(); last != checkpoint.NoBatch {
		s, err := t.rangeOf(last)
		if err != nil {
			return err
		}
		t.position = s.To
		if r.Rerun == last {
			return t.batch(last, s)
		}
	}
	return nil
}

func (t *toy) rangeOf(id int64) (s span, err error) {
	lines, err := t.cp.Offsets(id)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(lines[0], &s)
}

// plan chooses the range of a batch and begins to write it.
func (t *toy) plan(id int64) {
	t.next = span{t.position, min(t.rows, t.position+1+t.Rand.Int64N(4))}
	t.position = t.next.To
	line, _ := json.Marshal(t.next)
	taken := checkpoint.Taken{Source: t.src}
	for i := t.next.From; i < t.next.To; i++ {
		taken.Lines = append(taken.Lines, fmt.Appendf(nil, `{"row":%d}`, i))
	}
	t.pending = t.cp.WriteOffsets(id, [][]byte{line}, taken)
}

func (t *toy) batch(id int64, s span) error {
	ctx := context.Background()
	offsets := t.pending
	t.pending = nil
	for range t.Rand.IntN(4) {
		t.cp.Step() // the commit before, then these offsets, or neither
	}
	b := t.compute(id, s)
	wait := func() error {
		if offsets == nil {
			return nil
		}
		return offsets.Wait(ctx)
	}
	if mutant.On("sink-before-log") {
		if err := errors.Join(wait(), t.publish(id, b.Payload)); err != nil {
			return err
		}
	}
	if t.cp.Contended() && !mutant.On("a result is logged before its range is ours") {
		if err := wait(); err != nil {
			return err
		}
	}
	if err := t.st.Append(b); err != nil {
		return err
	}
	if err := wait(); err != nil {
		return err
	}
	if t.position < t.rows && t.Rand.IntN(3) == 0 {
		t.plan(id + 1) // the next batch overlaps the publishing of this one
	}
	if !mutant.On("sink-before-log") {
		if err := t.publish(id, b.Payload); err != nil {
			return err
		}
	}
	t.cp.WriteCommit(id, [][]byte{[]byte(`{"done":true}`)})
	if t.Rand.IntN(4) == 0 {
		return t.st.Compact(ctx)
	}
	return nil
}

// compute makes the record of a batch: over three blocks, without zeros.
func (t *toy) compute(id int64, s span) *state.Batch {
	var out []row
	touched := map[int64]bool{}
	recent := new(state.SectionWriter)
	recent.Reset("recent")
	for i := s.From; i < s.To; i++ {
		r := row{i, t.Rand.Uint64()}
		out = append(out, r)
		c := t.counts[i%toyKeys]
		t.counts[i%toyKeys] = count{c.N + 1, c.Sum + r.Value}
		touched[i%toyKeys] = true
		recent.Put(binary.BigEndian.AppendUint64(nil, uint64(i)), fmt.Appendf(nil, "row %d", i))
	}
	if s.To > window {
		recent.DeleteRange(nil, binary.BigEndian.AppendUint64(nil, uint64(s.To-window)))
	}
	counts := new(state.SectionWriter)
	counts.Reset("count")
	for key := range int64(toyKeys) {
		if touched[key] {
			v := binary.BigEndian.AppendUint64(nil, uint64(t.counts[key].N))
			v = binary.BigEndian.AppendUint64(v, t.counts[key].Sum)
			counts.Put([]byte{byte(key)}, append(v, bytes.Repeat([]byte{0xab}, 1800)...))
		}
	}
	payload, _ := json.Marshal(out)
	payload = append(append(payload, '\n'), bytes.Repeat([]byte{padding}, 9000)...)
	return &state.Batch{ID: id, Meta: []byte(`{"w":1}`), Payload: payload,
		Sections: []state.Section{counts.Finish(), recent.Finish()}}
}

// sink is a table that is replaced atomically, with its marker inside: a
// database transaction in one file.
type sink struct {
	Batch  int64
	Digest uint64
	Rows   []row
	raw    []byte
}

func (t *toy) readSink() (s sink, err error) {
	data, err := vfs.ReadFile(t.FS, t.Root+"/out/table")
	if errors.Is(err, fs.ErrNotExist) {
		return sink{Batch: checkpoint.NoBatch}, nil
	}
	if err != nil {
		return s, err
	}
	err = json.Unmarshal(data, &s)
	s.raw = data
	return s, err
}

// publish follows the marker rule.
func (t *toy) publish(id int64, payload []byte) error {
	s, err := t.readSink()
	if err != nil {
		return err
	}
	h := fnv.New64a()
	h.Write(payload)
	switch {
	case mutant.On("no-sink-dedup"):
	case s.Batch == id && s.Digest == h.Sum64():
		return nil
	case s.Batch > id && t.cp.Contended(): // the process that has taken over went on
		return fmt.Errorf("sink: the marker is batch %d: %w", s.Batch, vfs.ErrConflict)
	case s.Batch != id-1:
		return fmt.Errorf("sink: batch %d with digest %x offered, the marker is batch %d with %x", id, h.Sum64(), s.Batch, s.Digest)
	}
	var rows []row
	data, pad, _ := bytes.Cut(payload, []byte{'\n'})
	if n := bytes.Count(pad, []byte{padding}); n != 9000 {
		return fmt.Errorf("sink: payload of batch %d is torn: %d bytes of padding", id, n)
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		return fmt.Errorf("sink: payload of batch %d: %w", id, err)
	}
	s.Batch, s.Digest, s.Rows = id, h.Sum64(), append(s.Rows, rows...)
	if data, err = json.Marshal(s); err != nil {
		return err
	}
	if vfs.ShareOf(t.FS, t.Root) != nil {
		return vfs.SwapFile(t.FS, t.Root+"/out/table", s.raw, data)
	}
	// The sink is another system: its own durability is no mutant's concern.
	return vfs.WriteFileAtomic(outside{t.FS, t.Root + "/out"}, t.Root+"/out/table", data, true)
}

// outside syncs directories whatever the mutant.
type outside struct {
	vfs.FS
	dir string
}

func (o outside) Rename(from, to string) error {
	if err := o.FS.Rename(from, to); err != nil {
		return err
	}
	return o.SyncDir(o.dir)
}

// toyCheck compares sink, state and source log with the finished input.
func toyCheck(rows int64) crash.Workload {
	return func(l crash.Life) error {
		t := &toy{Life: l, rows: rows, counts: map[int64]count{}}
		if err := t.open(); err != nil {
			return err
		}
		defer t.cp.Close()
		defer t.st.Close()
		if err := t.recover(); err != nil {
			return err
		}
		want, err := t.checkSink()
		if err != nil {
			return err
		}
		for key := range int64(toyKeys) {
			if t.counts[key] != want[key] {
				return fmt.Errorf("state of key %d is %v, the sink adds up to %v", key, t.counts[key], want[key])
			}
		}
		return errors.Join(t.checkRecent(), t.checkSource())
	}
}

func (t *toy) checkSink() (map[int64]count, error) {
	s, err := t.readSink()
	if err != nil {
		return nil, err
	}
	sums := map[int64]count{}
	for i, r := range s.Rows {
		if r.ID != int64(i) {
			return nil, fmt.Errorf("sink row %d is %d: lost or twice", i, r.ID)
		}
		c := sums[r.ID%toyKeys]
		sums[r.ID%toyKeys] = count{c.N + 1, c.Sum + r.Value}
	}
	if int64(len(s.Rows)) != t.rows {
		return nil, fmt.Errorf("sink holds %d rows of %d", len(s.Rows), t.rows)
	}
	return sums, nil
}

func (t *toy) checkRecent() error {
	var got, want []string
	for i := t.rows - window; i < t.rows; i++ {
		want = append(want, fmt.Sprintf("row %d", i))
	}
	err := t.st.Load("recent", func(_, v []byte) error {
		got = append(got, string(v))
		return nil
	})
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("recent rows %v, want %v", got, want)
	}
	return err
}

func (t *toy) checkSource() error {
	n := 0
	err := t.src.Entries(func(batch int64, line []byte) error {
		if want := fmt.Sprintf(`{"row":%d}`, n); string(line) != want {
			return fmt.Errorf("source log: batch %d has %s, want %s", batch, line, want)
		}
		n++
		return nil
	})
	if err == nil && int64(n) != t.rows {
		err = fmt.Errorf("source log: %d entries of %d", n, t.rows)
	}
	return err
}
