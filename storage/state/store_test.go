package state

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func appendKeys(t testing.TB, s *Store, id int64, keys, size int) {
	t.Helper()
	var w SectionWriter
	w.Reset("op")
	for k := range keys {
		w.Put(fmt.Appendf(nil, "key %06d", k), bytes.Repeat([]byte{byte(id) + 1}, size))
	}
	must(t, s.Append(&Batch{ID: id, Meta: fmt.Appendf(nil, "%d", id), Sections: []Section{w.Finish()}}))
}

func TestRejectedBatches(t *testing.T) {
	s, err := Open(vfs.NewCrashable(1), "/state", Options{})
	must(t, err)
	defer s.Close()
	must(t, s.Append(&Batch{ID: 7}))
	for _, b := range []*Batch{
		{ID: 7}, {ID: 9}, {ID: 6},
		{ID: 8, Sections: []Section{{Op: "../x"}}},
		{ID: 8, Sections: []Section{{Op: ""}}},
		{ID: 8, Sections: []Section{{Op: "a"}, {Op: "b"}, {Op: "a"}}},
	} {
		if err := s.Append(b); err == nil {
			t.Errorf("batch %d %v was accepted", b.ID, b.Sections)
		}
	}
	must(t, s.Append(&Batch{ID: 8})) // a refusal breaks nothing
	if err := s.Discard(7); err == nil {
		t.Error("discarded a batch that is not the last")
	}
	if _, err := s.Prepared(3); !errors.Is(err, fault.ErrMissing) {
		t.Errorf("prepared 3: %v", err)
	}
	if err := s.LoadAt("op", 9, nil); !errors.Is(err, fault.ErrMissing) {
		t.Errorf("load at 9: %v", err)
	}
}

func TestEpochFencesOlderRuns(t *testing.T) {
	fs := vfs.NewCrashable(1)
	s, err := Open(fs, "/state", Options{Epoch: 5})
	must(t, err)
	must(t, s.Append(&Batch{ID: 0}))
	must(t, s.Close())
	for _, epoch := range []uint64{4, 5} {
		if _, err := Open(fs, "/state", Options{Epoch: epoch}); !errors.Is(err, fault.ErrFenced) {
			t.Fatalf("epoch %d: %v", epoch, err)
		}
	}
	s, err = Open(fs, "/state", Options{})
	must(t, err)
	if s.Epoch() != 6 {
		t.Fatalf("next epoch is %d", s.Epoch())
	}
	must(t, s.Close())
}

// Two processes that both believe to own the directory: the second to write
// a batch is refused.
func TestSecondWriterIsFenced(t *testing.T) {
	fs := vfs.NewCrashable(1)
	a, err := Open(fs, "/state", Options{})
	must(t, err)
	b, err := Open(fs, "/state", Options{})
	must(t, err)
	must(t, a.Append(&Batch{ID: 0}))
	if err := b.Append(&Batch{ID: 0}); !errors.Is(err, fault.ErrFenced) {
		t.Fatalf("second writer: %v", err)
	}
}

// A discarded batch must not come back when its successor of the same number
// is torn.
func TestDiscardedBatchStaysGone(t *testing.T) {
	for seed := range uint64(50) {
		fs := vfs.NewCrashable(seed)
		s, err := Open(fs, "/state", Options{GrowBytes: 64 << 10})
		must(t, err)
		must(t, s.Append(&Batch{ID: 0, Meta: []byte("zero")}))
		must(t, s.Append(&Batch{ID: 1, Meta: []byte("discarded")}))
		must(t, s.Discard(1))
		fs.OnOp(func(op vfs.Op) error {
			if op.Kind == vfs.OpSync {
				return errors.New("the machine stops here")
			}
			return nil
		})
		_ = s.Append(&Batch{ID: 1, Meta: []byte("kept"), Payload: bytes.Repeat([]byte{9}, 9000)})
		s, err = Open(fs.CrashClone(0.5), "/state", Options{})
		must(t, err)
		if last, _ := s.Last(); last == 1 {
			p, err := s.Prepared(1)
			if err != nil || string(p.Meta) != "kept" {
				t.Fatalf("seed %d: %q %v", seed, p.Meta, err)
			}
		}
	}
}

func TestMergeBoundsFilesAndRecovery(t *testing.T) {
	fs := vfs.NewCrashable(1)
	opt := Options{Retain: 2, SegmentBytes: 32 << 10, GrowBytes: 8 << 10, MergeBytes: 16 << 10, FlushBytes: 16 << 10}
	s, err := Open(fs, "/state", opt)
	must(t, err)
	for id := range int64(200) {
		appendKeys(t, s, id, 20, 40)
		if s.NeedsCompact() {
			must(t, s.Compact(context.Background()))
		}
	}
	z := s.Sizes()
	if z.Segments > 4 || z.Runs > maxRuns || z.LogBytes > 48<<10 || z.RunBytes > 8<<10 || z.RunBytes == 0 {
		t.Fatalf("sizes %+v", z)
	}
	list, err := fs.ReadDir("/state/runs/op")
	must(t, err)
	if len(list) > 2*maxRuns {
		t.Fatalf("%d run files", len(list))
	}
	must(t, s.Close())
}

func TestDeletedOperatorLeavesNoRun(t *testing.T) {
	fs := vfs.NewCrashable(1)
	s, err := Open(fs, "/state", Options{Retain: 2})
	must(t, err)
	appendKeys(t, s, 0, 100, 10)
	for id := int64(1); id < 3; id++ {
		must(t, s.Append(&Batch{ID: id}))
	}
	must(t, s.Compact(context.Background()))
	if ops := s.Ops(); len(ops) != 1 || s.Sizes().Runs != 1 {
		t.Fatalf("operators %v", ops)
	}
	var w SectionWriter
	w.Reset("op")
	w.DeleteAll()
	must(t, s.Append(&Batch{ID: 3, Sections: []Section{w.Finish()}}))
	for id := int64(4); id < 6; id++ {
		must(t, s.Append(&Batch{ID: id}))
	}
	must(t, s.Compact(context.Background()))
	if z := s.Sizes(); z.Runs != 0 {
		t.Fatalf("sizes %+v", z)
	}
	must(t, s.Close())
}

func TestBackgroundMerge(t *testing.T) {
	s, err := Open(vfs.NewCrashable(1), "/state", Options{Background: true, Retain: 2, FlushBytes: 8 << 10})
	must(t, err)
	for id := int64(0); s.Sizes().Runs == 0; id++ {
		appendKeys(t, s, id, 20, 40)
	}
	must(t, s.Close())
}

func TestMergeByTime(t *testing.T) {
	now := clock.NewFake(time.Unix(0, 0))
	s, err := Open(vfs.NewCrashable(1), "/state", Options{Retain: 2, Clock: now, FlushEvery: time.Minute})
	must(t, err)
	for id := range int64(5) {
		appendKeys(t, s, id, 1, 1)
	}
	if s.NeedsCompact() {
		t.Fatal("due at once")
	}
	now.Advance(time.Minute)
	if !s.NeedsCompact() {
		t.Fatal("not due after a minute")
	}
	must(t, s.Compact(context.Background()))
	if s.NeedsCompact() {
		t.Fatal("still due")
	}
	must(t, s.Close())
}

// The log keeps fewer batches than asked when they would make recovery slow.
func TestRetainBytesBoundsTheLog(t *testing.T) {
	s, err := Open(vfs.NewCrashable(1), "/state", Options{RetainBytes: 10 << 10})
	must(t, err)
	for id := range int64(30) {
		must(t, s.Append(&Batch{ID: id, Payload: make([]byte, 2<<10)}))
	}
	must(t, s.Compact(context.Background()))
	if oldest, _ := s.Oldest(); oldest < 20 || oldest > 27 {
		t.Fatalf("oldest batch %d", oldest)
	}
	must(t, s.Close())
}

func TestReadOnlyBesideAWriter(t *testing.T) {
	fs := vfs.NewCrashable(1)
	s, err := Open(fs, "/state", Options{})
	must(t, err)
	appendKeys(t, s, 0, 3, 3)
	before := fs.Ops()
	r, err := Open(fs, "/state", Options{ReadOnly: true})
	must(t, err)
	n := 0
	must(t, r.Load("op", func(_, _ []byte) error { n++; return nil }))
	if err := r.Append(&Batch{ID: 1}); n != 3 || err == nil {
		t.Fatalf("%d entries, append: %v", n, err)
	}
	must(t, r.Close())
	if fs.Ops() != before {
		t.Fatalf("a reader changed files: %d operations", fs.Ops()-before)
	}
	appendKeys(t, s, 1, 3, 3)
	must(t, s.Close())
}

func TestNewerFormatIsRefused(t *testing.T) {
	fs := vfs.NewCrashable(1)
	path, data, _ := three(t, fs)
	head, ok := decodeSegmentHeader(data)
	if !ok {
		t.Fatal("no header")
	}
	head.version = FormatVersion + 1
	copy(data, head.encode())
	_, err := reopen(t, fs, path, data)
	if !errors.Is(err, fault.ErrVersion) || !strings.Contains(err.Error(), "format 2") {
		t.Fatalf("newer format: %v", err)
	}
}

func TestAppendAllocatesPerBatchOnly(t *testing.T) {
	s, err := Open(vfs.OS(), t.TempDir(), Options{})
	must(t, err)
	defer s.Close()
	var w SectionWriter
	id := int64(0)
	one := func() {
		w.Reset("op")
		var key [8]byte
		for k := range uint64(1000) {
			binary.BigEndian.PutUint64(key[:], k)
			w.Put(key[:], key[:])
		}
		must(t, s.Append(&Batch{ID: id, Sections: []Section{w.Finish()}}))
		id++
	}
	one()
	if n := testing.AllocsPerRun(20, one); n > 20 {
		t.Fatalf("%v allocations for a batch of 1000 entries", n)
	}
}

func BenchmarkAppend100k(b *testing.B) {
	s, err := Open(vfs.OS(), b.TempDir(), Options{})
	must(b, err)
	defer s.Close()
	var w SectionWriter
	var key, value [16]byte
	for id := int64(0); b.Loop(); id++ {
		w.Reset("op")
		for k := range uint64(100_000) {
			binary.BigEndian.PutUint64(key[:], k*97)
			w.Put(key[:], value[:8])
		}
		must(b, s.Append(&Batch{ID: id, Sections: []Section{w.Finish()}}))
	}
}

func BenchmarkAppendSmall(b *testing.B) {
	s, err := Open(vfs.OS(), b.TempDir(), Options{})
	must(b, err)
	defer s.Close()
	batch := Batch{Meta: make([]byte, 200), Payload: make([]byte, 1000), Sections: []Section{{Op: "op", Changes: make([]byte, 1000)}}}
	for ; b.Loop(); batch.ID++ {
		must(b, s.Append(&batch))
	}
}

func BenchmarkLoadMillion(b *testing.B) {
	dir := b.TempDir()
	s, err := Open(vfs.OS(), dir, Options{Retain: 2})
	must(b, err)
	defer s.Close()
	var w SectionWriter
	w.Reset("op")
	var key, value [16]byte
	for k := range uint64(1_000_000) {
		binary.BigEndian.PutUint64(key[:], k*97)
		w.Put(key[:], value[:8])
	}
	must(b, s.Append(&Batch{ID: 0, Sections: []Section{w.Finish()}}))
	must(b, s.Append(&Batch{ID: 1}))
	must(b, s.Append(&Batch{ID: 2}))
	must(b, s.Compact(context.Background()))
	for b.Loop() {
		n := 0
		must(b, s.Load("op", func(_, _ []byte) error { n++; return nil }))
		if n != 1_000_000 {
			b.Fatal(n)
		}
	}
}
