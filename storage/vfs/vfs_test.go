package vfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// both runs a test on the real file system and on the one in memory.
func both(t *testing.T, test func(t *testing.T, fsys FS, dir string)) {
	t.Run("os", func(t *testing.T) { test(t, OS(), t.TempDir()) })
	t.Run("crashable", func(t *testing.T) {
		c := NewCrashable(1)
		must(t, c.MkdirAll("/tmp"))
		test(t, c, "/tmp")
	})
	t.Run("memory", func(t *testing.T) {
		c := NewMemory()
		must(t, c.MkdirAll("/tmp"))
		test(t, c, "/tmp")
		if len(c.pending) > 0 {
			t.Error("it keeps what a crash could lose")
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, fsys FS, name, want string) {
	t.Helper()
	got, err := ReadFile(fsys, name)
	if err != nil || string(got) != want {
		t.Fatalf("%s holds %.60q (%v), want %.60q", name, got, err, want)
	}
}

func missing(t *testing.T, fsys FS, name string) {
	t.Helper()
	if _, err := fsys.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s: %v, want it missing", name, err)
	}
}

func put(t *testing.T, fsys FS, name, data string, sync bool) {
	t.Helper()
	f, err := fsys.Create(name)
	must(t, err)
	_, err = f.Write([]byte(data))
	must(t, err)
	if sync {
		must(t, f.Sync())
	}
	must(t, f.Close())
}

func TestFileContract(t *testing.T) {
	both(t, func(t *testing.T, fsys FS, dir string) {
		name := filepath.Join(dir, "f")
		f, err := fsys.CreateExclusive(name)
		must(t, err)
		if _, err := fsys.CreateExclusive(name); !errors.Is(err, fs.ErrExist) {
			t.Fatalf("second exclusive create: %v", err)
		}
		_, err = f.Write([]byte("hello"))
		must(t, err)
		_, err = f.WriteAt([]byte("J"), 0)
		must(t, err)
		_, err = f.Write([]byte(" world"))
		must(t, err)
		_, err = f.WriteAt([]byte("end"), 5000)
		must(t, err)
		buf := make([]byte, 10)
		if n, err := f.ReadAt(buf, 4998); n != 5 || !errors.Is(err, io.EOF) || !bytes.Equal(buf[:5], []byte("\x00\x00end")) {
			t.Fatalf("read over the end: %d %v %q", n, err, buf)
		}
		must(t, f.Truncate(11))
		must(t, f.SyncData())
		must(t, f.Close())
		content(t, fsys, name, "Jello world")

		a, err := fsys.OpenAppend(name)
		must(t, err)
		_, err = a.Write([]byte("!"))
		must(t, err)
		must(t, a.Close())
		content(t, fsys, name, "Jello world!")

		r, err := fsys.Open(name)
		must(t, err)
		if _, err := r.Write([]byte("x")); err == nil {
			t.Fatal("wrote to a file opened for reading")
		}
		all, err := io.ReadAll(r)
		if err != nil || string(all) != "Jello world!" {
			t.Fatalf("sequential read: %q %v", all, err)
		}
		must(t, r.Close())
	})
}

func TestNameContract(t *testing.T) {
	both(t, func(t *testing.T, fsys FS, dir string) {
		in := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
		must(t, MkdirAllSync(fsys, in("a", "b")))
		must(t, MkdirAllSync(fsys, in("a", "b")))
		put(t, fsys, in("a", "b", "x"), "one", true)
		must(t, fsys.Link(in("a", "b", "x"), in("a", "y")))
		if err := fsys.Link(in("a", "b", "x"), in("a", "y")); !errors.Is(err, fs.ErrExist) {
			t.Fatalf("link over a file: %v", err)
		}
		must(t, fsys.Rename(in("a", "b", "x"), in("a", "z")))
		missing(t, fsys, in("a", "b", "x"))
		list, err := fsys.ReadDir(in("a"))
		must(t, err)
		if len(list) != 3 || list[0].Name() != "b" || !list[0].IsDir() || list[2].Name() != "z" {
			t.Fatalf("listing: %v", list)
		}
		if _, err := fsys.Open(in("a", "none")); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("open of a missing file: %v", err)
		}
		if err := fsys.Remove(in("a")); err == nil {
			t.Fatal("removed a directory that is not empty")
		}
		must(t, fsys.RemoveAll(in("a")))
		must(t, fsys.RemoveAll(in("a")))
		missing(t, fsys, in("a"))
	})
}

func TestLockHasOneHolder(t *testing.T) {
	both(t, func(t *testing.T, fsys FS, dir string) {
		name := filepath.Join(dir, "LOCK")
		held, err := fsys.Lock(name)
		must(t, err)
		if _, err := fsys.Lock(name); !errors.Is(err, ErrLocked) {
			t.Fatalf("second lock: %v", err)
		}
		must(t, held.Close())
		again, err := fsys.Lock(name)
		must(t, err)
		must(t, again.Close())
	})
}

func TestWriteFileAtomic(t *testing.T) {
	both(t, func(t *testing.T, fsys FS, dir string) {
		name := filepath.Join(dir, "f")
		must(t, WriteFileAtomic(fsys, name, []byte("one"), true))
		must(t, WriteFileAtomic(fsys, name, []byte("two"), false))
		content(t, fsys, name, "two")
		list, err := fsys.ReadDir(dir)
		if err != nil || len(list) != 1 {
			t.Fatalf("left behind: %v %v", list, err)
		}
	})
}

// The helper is atomic and durable whatever operation the crash hits.
func TestWriteFilesAtomicAtEveryCrash(t *testing.T) {
	for _, survival := range []float64{0, 0.5, 1} {
		for at := int64(1); ; at++ {
			c := NewCrashable(uint64(at))
			must(t, MkdirAllSync(c, "/d/first"))
			must(t, WriteFileAtomic(c, "/d/f", []byte("old"), true))
			c.CrashAt(c.Ops() + at)
			done := WriteFilesAtomic(c, []NewFile{{Path: "/d/first/a", Data: []byte("A")}}, []NewFile{{Path: "/d/f", Data: []byte("new")}}) == nil
			boot := c.CrashClone(survival)
			got, err := ReadFile(boot, "/d/f")
			must(t, err)
			if string(got) != "old" && string(got) != "new" || done && string(got) != "new" {
				t.Fatalf("crash at %d survival %v: %q, done %v", at, survival, got, done)
			}
			if string(got) == "new" {
				content(t, boot, "/d/first/a", "A")
			}
			if done {
				break
			}
		}
	}
}

func TestFailedStageLeavesNothing(t *testing.T) {
	c := NewCrashable(1)
	c.OnOp(func(op Op) error {
		if op.Kind == OpWrite {
			return &ShortWrite{N: 1, Err: syscall.ENOSPC}
		}
		return nil
	})
	err := WriteFileAtomic(c, "/f", []byte("data"), true)
	if !IsDiskFull(err) || IsReadOnly(err) {
		t.Fatalf("full disk reported as %v", err)
	}
	list, err := c.ReadDir("/")
	if err != nil || len(list) != 0 {
		t.Fatalf("left behind: %v %v", list, err)
	}
}

func TestErrorClasses(t *testing.T) {
	if !IsReadOnly(pathError("create", "f", syscall.EROFS)) || !IsReadOnly(pathError("create", "f", syscall.EACCES)) {
		t.Fatal("read-only file system not recognised")
	}
	if IsDiskFull(syscall.EIO) || IsReadOnly(syscall.EIO) {
		t.Fatal("EIO is neither")
	}
	if !IsTemp(filepath.Base(tempName("/a/b/7"))) || IsTemp("7") || IsTemp(".tmp") {
		t.Fatal("temporary names not recognised")
	}
}
