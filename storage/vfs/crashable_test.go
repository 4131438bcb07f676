package vfs

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
)

func TestCrashKeepsOnlyWhatIsSynced(t *testing.T) {
	c := NewCrashable(3)
	put(t, c, "/kept", "durable", true)
	must(t, c.SyncDir("/"))
	put(t, c, "/no-entry", "synced, but its directory is not", true)
	f, err := c.OpenReadWrite("/kept")
	must(t, err)
	_, err = f.WriteAt([]byte("DURABLE and more"), 0)
	must(t, err)

	none := c.CrashClone(0)
	content(t, none, "/kept", "durable")
	missing(t, none, "/no-entry")
	all := c.CrashClone(1)
	content(t, all, "/kept", "DURABLE and more")
	content(t, all, "/no-entry", "synced, but its directory is not")
	if _, err := c.Create("/late"); !errors.Is(err, ErrCrashed) {
		t.Fatalf("the crashed machine still works: %v", err)
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, ErrCrashed) {
		t.Fatalf("an open file of the crashed machine still works: %v", err)
	}
}

func TestCrashTearsByBlock(t *testing.T) {
	torn, whole := 0, 0
	for seed := range uint64(40) {
		c := NewCrashable(seed)
		put(t, c, "/f", string(make([]byte, 4*blockSize)), true)
		must(t, c.SyncDir("/"))
		f, err := c.OpenReadWrite("/f")
		must(t, err)
		_, err = f.WriteAt(bytes.Repeat([]byte{7}, 4*blockSize), 0)
		must(t, err)
		got, err := ReadFile(c.CrashClone(0.5), "/f")
		must(t, err)
		n := bytes.Count(got, []byte{7})
		if n%blockSize != 0 || len(got) != 4*blockSize {
			t.Fatalf("%d bytes of %d survived", n, len(got))
		}
		if n == 0 || n == 4*blockSize {
			whole++
		} else {
			torn++
		}
	}
	if torn < 20 || whole == 0 {
		t.Fatalf("torn %d, whole %d", torn, whole)
	}
}

func TestRenameIsAtomicInOneDirectory(t *testing.T) {
	for seed := range uint64(30) {
		c := NewCrashable(seed)
		put(t, c, "/a", "new", true)
		put(t, c, "/b", "old", true)
		must(t, c.SyncDir("/"))
		must(t, c.Rename("/a", "/b"))
		boot := c.CrashClone(0.5)
		got, err := ReadFile(boot, "/b")
		must(t, err)
		if _, err := boot.Stat("/a"); (err == nil) != (string(got) == "old") {
			t.Fatalf("seed %d: b is %q, a: %v", seed, got, err)
		}
	}
}

func TestRenameAcrossNeverLosesTheFile(t *testing.T) {
	seen := map[[2]bool]bool{}
	for seed := range uint64(60) {
		c := NewCrashable(seed)
		must(t, MkdirAllSync(c, "/x"))
		must(t, MkdirAllSync(c, "/y"))
		put(t, c, "/x/f", "data", true)
		must(t, c.SyncDir("/x"))
		must(t, c.Rename("/x/f", "/y/f"))
		if seed%2 == 0 {
			must(t, c.SyncDir("/x"))
		}
		boot := c.CrashClone(0.5)
		_, errX := boot.Stat("/x/f")
		_, errY := boot.Stat("/y/f")
		seen[[2]bool{errX == nil, errY == nil}] = true
	}
	if seen[[2]bool{false, false}] || len(seen) != 3 {
		t.Fatalf("states seen (at x, at y): %v", seen)
	}
}

func TestUnsyncedOperationsOnOneNameKeepTheirOrder(t *testing.T) {
	for seed := range uint64(60) {
		c := NewCrashable(seed)
		put(t, c, "/f", "1", true)
		must(t, c.Remove("/f"))
		put(t, c, "/f", "2", true)
		got, err := ReadFile(c.CrashClone(0.7), "/f")
		if err == nil && string(got) != "1" && string(got) != "2" {
			t.Fatalf("f holds %q", got)
		}
	}
}

func TestFailedSyncLosesTheData(t *testing.T) {
	c := NewCrashable(5)
	put(t, c, "/f", "old", true)
	must(t, c.SyncDir("/"))
	f, err := c.OpenReadWrite("/f")
	must(t, err)
	_, err = f.WriteAt([]byte("new"), 0)
	must(t, err)
	c.OnOp(func(op Op) error {
		if op.Kind == OpSync {
			return syscall.EIO
		}
		return nil
	})
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("injected failure: %v", err)
	}
	c.OnOp(nil)
	must(t, f.Sync())
	content(t, c, "/f", "new")
	content(t, c.CrashClone(0), "/f", "old")
}

func TestKillKeepsTheMachine(t *testing.T) {
	c := NewCrashable(5)
	_, err := c.Lock("/LOCK")
	must(t, err)
	put(t, c, "/f", "unsynced", false)
	next := c.KillClone()
	content(t, next, "/f", "unsynced")
	_, err = next.Lock("/LOCK")
	must(t, err)
	missing(t, next.CrashClone(0), "/f")
	if _, err := c.Create("/g"); !errors.Is(err, ErrCrashed) {
		t.Fatalf("the killed process still writes: %v", err)
	}
}

func TestOperationsAreNumberedAndStopped(t *testing.T) {
	c := NewCrashable(1)
	var kinds []OpKind
	c.OnOp(func(op Op) error {
		if op.N > 0 {
			kinds = append(kinds, op.Kind)
		}
		return nil
	})
	must(t, WriteFileAtomic(c, "/f", []byte("x"), true))
	want := []OpKind{OpCreate, OpWrite, OpSync, OpRename, OpSyncDir}
	if len(kinds) != len(want) || c.Ops() != int64(len(want)) {
		t.Fatalf("operations %v", kinds)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("operations %v", kinds)
		}
	}
	c.CrashAt(c.Ops() + 3)
	if err := WriteFileAtomic(c, "/g", []byte("x"), true); !errors.Is(err, ErrCrashed) || !c.Crashed() {
		t.Fatalf("crash point ignored: %v", err)
	}
}

func TestHardLinkSurvivesAsOneFile(t *testing.T) {
	c := NewCrashable(1)
	put(t, c, "/f", "x", true)
	must(t, c.Link("/f", "/g"))
	must(t, c.SyncDir("/"))
	boot := c.CrashClone(0)
	f, err := boot.OpenReadWrite("/f")
	must(t, err)
	_, err = f.WriteAt([]byte("y"), 0)
	must(t, err)
	content(t, boot, "/g", "y")
}
