package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// three writes batches 0, 1 and 2 into one segment and returns its path, its
// content and where each record ends.
func three(t *testing.T, fs vfs.FS) (path string, data []byte, ends []int64) {
	t.Helper()
	s, err := Open(fs, "/state", Options{GrowBytes: 4096})
	must(t, err)
	for id := range int64(3) {
		var w SectionWriter
		w.Reset("op")
		w.Put([]byte("key"), fmt.Appendf(nil, "value %d", id))
		must(t, s.Append(&Batch{ID: id, Meta: []byte("meta"), Payload: bytes.Repeat([]byte{7}, 100), Sections: []Section{w.Finish()}}))
		r := s.records[id]
		ends = append(ends, r.off+r.size())
	}
	path = s.segments[0].path
	must(t, s.Close())
	data, err = vfs.ReadFile(fs, path)
	must(t, err)
	return path, data, ends
}

func reopen(t *testing.T, fs vfs.FS, path string, data []byte) (*Store, error) {
	t.Helper()
	must(t, vfs.WriteFileAtomic(fs, path, data, true))
	return Open(fs, "/state", Options{GrowBytes: 4096})
}

func value(t *testing.T, s *Store) (v string) {
	t.Helper()
	must(t, s.Load("op", func(_, value []byte) error { v = string(value); return nil }))
	return v
}

// A log that ends anywhere inside its last record gives the batch before; one
// that ends earlier gives what is whole. Nothing is guessed and appending
// goes on.
func TestLogCutAtEveryByte(t *testing.T) {
	fs := vfs.NewCrashable(1)
	path, data, ends := three(t, fs)
	for cut := int(ends[0]); cut <= len(data); cut++ {
		s, err := reopen(t, fs, path, data[:cut])
		must(t, err)
		want := int64(0)
		for id, end := range ends {
			if int64(cut) >= end {
				want = int64(id)
			}
		}
		if last, _ := s.Last(); last != want || value(t, s) != fmt.Sprintf("value %d", want) {
			t.Fatalf("cut at %d: batch %d with %q, want %d", cut, last, value(t, s), want)
		}
		if cut%97 == 0 {
			must(t, s.Append(&Batch{ID: want + 1}))
			last := s.segments[len(s.segments)-1].path
			must(t, s.Close())
			must(t, fs.Remove(last))
		} else {
			must(t, s.Close())
		}
	}
}

// A flipped bit in the last record looks like a torn one: the checkpoint's
// logs tell the difference. In any record before, it is damage, and the error
// names the batch.
func TestLogFlippedAtEveryByte(t *testing.T) {
	fs := vfs.NewCrashable(1)
	path, data, ends := three(t, fs)
	for i := 0; i < int(ends[2]); i++ {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		s, err := reopen(t, fs, path, bad)
		id := recordAt(ends, int64(i))
		switch {
		case id < 0 || unused(ends, int64(i)):
			if err == nil {
				must(t, s.Close()) // nothing that is used was hit
			} else if !errors.Is(err, fault.ErrCorrupt) {
				t.Fatalf("flip at %d: %v", i, err)
			}
		case id == 2:
			must(t, err)
			if last, _ := s.Last(); last != 1 || value(t, s) != "value 1" {
				t.Fatalf("flip at %d of the last record: batch %d", i, last)
			}
			must(t, s.Close())
		default:
			var e *fault.Error
			if !errors.As(err, &e) || !errors.Is(err, fault.ErrCorrupt) || e.Batch != id || e.Path != path {
				t.Fatalf("flip at %d, in batch %d: %v", i, id, err)
			}
		}
	}
}

// recordAt is the batch whose record contains byte i, or -1.
func recordAt(ends []int64, i int64) int64 {
	if i < sector {
		return -1
	}
	for id, end := range ends {
		if i < alignUp(end) {
			return int64(id)
		}
	}
	return -1
}

func unused(ends []int64, i int64) bool {
	id := recordAt(ends, i)
	return id >= 0 && i >= ends[id]
}

func TestMissingLogFileIsFound(t *testing.T) {
	fs := vfs.NewCrashable(1)
	s, err := Open(fs, "/state", Options{SegmentBytes: 1024, GrowBytes: 4096})
	must(t, err)
	for id := range int64(5) {
		must(t, s.Append(&Batch{ID: id, Payload: bytes.Repeat([]byte{1}, 400)}))
	}
	must(t, s.Close())
	for _, victim := range []string{"/state/log/0.log", "/state/log/2.log"} {
		data, err := vfs.ReadFile(fs, victim)
		must(t, err)
		must(t, fs.Remove(victim))
		if _, err := Open(fs, "/state", Options{}); !errors.Is(err, fault.ErrCorrupt) || !strings.Contains(err.Error(), "batch") {
			t.Fatalf("without %s: %v", victim, err)
		}
		must(t, vfs.WriteFileAtomic(fs, victim, data, true))
	}
	s, err = Open(fs, "/state", Options{})
	must(t, err)
	must(t, s.Close())
}

// merged returns a store directory with a manifest and runs.
func merged(t *testing.T, fs vfs.FS) {
	t.Helper()
	s, err := Open(fs, "/state", Options{Retain: 2, BlockBytes: 64})
	must(t, err)
	for id := range int64(8) {
		var w SectionWriter
		w.Reset("op")
		for k := range 20 {
			w.Put(fmt.Appendf(nil, "key %02d", k), fmt.Appendf(nil, "value %d", id))
		}
		must(t, s.Append(&Batch{ID: id, Sections: []Section{w.Finish()}}))
		if id == 5 || id == 7 {
			must(t, s.Compact(context.Background()))
		}
	}
	must(t, s.Close())
}

func TestRunFlippedAtEveryByte(t *testing.T) {
	fs := vfs.NewCrashable(1)
	merged(t, fs)
	s, err := Open(fs, "/state", Options{ReadOnly: true})
	must(t, err)
	path := filepath.Join("/state/runs/op", s.man.Ops["op"][0].File)
	must(t, s.Close())
	data, err := vfs.ReadFile(fs, path)
	must(t, err)
	load := func() error {
		s, err := Open(fs, "/state", Options{ReadOnly: true})
		must(t, err)
		defer s.Close()
		n := 0
		err = s.Load("op", func(k, v []byte) error { n++; return nil })
		if err == nil && n != 20 {
			err = fmt.Errorf("%d entries", n)
		}
		return err
	}
	must(t, load())
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		must(t, vfs.WriteFileAtomic(fs, path, bad, true))
		var e *fault.Error
		if err := load(); !errors.As(err, &e) || !errors.Is(err, fault.ErrCorrupt) || e.Path != path {
			t.Fatalf("flip at %d: %v", i, err)
		}
	}
	must(t, fs.Remove(path))
	if err := load(); !errors.Is(err, fault.ErrMissing) {
		t.Fatalf("without the run: %v", err)
	}
}

func TestDamagedManifestOffersTheOneBefore(t *testing.T) {
	fs := vfs.NewCrashable(1)
	merged(t, fs)
	must(t, vfs.WriteFileAtomic(fs, "/state/MANIFEST-2", []byte("v1\n{}\n"), true))
	_, err := Open(fs, "/state", Options{})
	if !errors.Is(err, fault.ErrCorrupt) || !strings.Contains(err.Error(), "remove MANIFEST-2 to go on from MANIFEST-1") {
		t.Fatalf("damaged manifest: %v", err)
	}
	must(t, fs.Remove("/state/MANIFEST-2"))
	s, err := Open(fs, "/state", Options{})
	must(t, err)
	n := 0
	must(t, s.Load("op", func(_, v []byte) error {
		if n++; string(v) != "value 7" {
			return fmt.Errorf("got %q", v)
		}
		return nil
	}))
	if n != 20 {
		t.Fatalf("%d entries after going back", n)
	}
	must(t, s.Close())
}

func TestFailedSyncIsSticky(t *testing.T) {
	fs := vfs.NewCrashable(1)
	s, err := Open(fs, "/state", Options{})
	must(t, err)
	must(t, s.Append(&Batch{ID: 0}))
	syncs := 0
	fs.OnOp(func(op vfs.Op) error {
		if op.Kind != vfs.OpSync {
			return nil
		}
		syncs++
		return syscall.EIO
	})
	if err := s.Append(&Batch{ID: 1}); !errors.Is(err, syscall.EIO) {
		t.Fatalf("failed sync: %v", err)
	}
	fs.OnOp(nil)
	for _, err := range []error{s.Append(&Batch{ID: 1}), s.Discard(0), s.Compact(context.Background()), s.Err(), s.Load("op", nil)} {
		if !errors.Is(err, fault.ErrFailed) || !errors.Is(err, syscall.EIO) {
			t.Fatalf("after the failure: %v", err)
		}
	}
	if syncs != 1 {
		t.Fatalf("synced %d times", syncs)
	}
}

func TestFullDiskThenSpace(t *testing.T) {
	fs := vfs.NewCrashable(1)
	s, err := Open(fs, "/state", Options{})
	must(t, err)
	must(t, s.Append(&Batch{ID: 0, Meta: []byte("zero")}))
	fs.OnOp(func(op vfs.Op) error {
		if op.Kind == vfs.OpWrite {
			return &vfs.ShortWrite{N: 100, Err: syscall.ENOSPC}
		}
		return nil
	})
	err = s.Append(&Batch{ID: 1, Payload: make([]byte, 2<<20)})
	if !errors.Is(err, fault.ErrDiskFull) || !strings.Contains(err.Error(), "free some space") {
		t.Fatalf("full disk: %v", err)
	}
	must(t, s.Close())
	fs.OnOp(nil)
	s, err = Open(fs, "/state", Options{})
	must(t, err)
	must(t, s.Append(&Batch{ID: 1, Meta: []byte("one")}))
	p, err := s.Prepared(1)
	if err != nil || string(p.Meta) != "one" {
		t.Fatalf("after space came back: %v %v", p, err)
	}
	must(t, s.Close())
}
