package object_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/storage/vfs/object"
	"github.com/sqlstream/sqlstream/storage/vfs/object/objecttest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, f *object.FS, name, text string) {
	t.Helper()
	must(t, vfs.WriteFileAtomic(f, name, []byte(text), true))
}

func read(t *testing.T, f *object.FS, name string) string {
	t.Helper()
	data, err := vfs.ReadFile(f, name)
	must(t, err)
	return string(data)
}

// A file written under a temporary name is one request, and nobody sees it before.
func TestOneRequestAFile(t *testing.T) {
	store := objecttest.New()
	f := store.Client().FS("a")
	write(t, f, "s3:/b/d/x", "one")
	if c := store.Requests(); c["put"] != 1 || len(c) != 1 {
		t.Errorf("requests: %v", c)
	}
	if got := read(t, f, "s3:/b/d/x"); got != "one" {
		t.Errorf("read %q", got)
	}
	if c := store.Requests(); c["get"] != 1 || len(c) != 1 {
		t.Errorf("requests: %v", c)
	}
	if keys := store.Keys(); len(keys) != 1 || keys[0] != "d/x" {
		t.Errorf("objects: %v", keys)
	}
}

func TestDirectories(t *testing.T) {
	store := objecttest.New()
	store.PageSize = 2
	f := store.Client().FS("a")
	for _, name := range []string{"a", "b/1", "b/2", "b/3", "b.c", "c/d/e", "z"} {
		write(t, f, "s3:/b/"+name, name)
	}
	list, err := f.ReadDir("s3:/b")
	must(t, err)
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprintf("%s %v", e.Name(), e.IsDir()))
	}
	if want := "a false,b true,b.c false,c true,z false"; strings.Join(got, ",") != want {
		t.Errorf("got %v", got)
	}
	var walked []string
	must(t, f.Walk(t.Context(), "s3:/b", "s3:/b/b/1", func(path string, info fs.FileInfo) error {
		walked = append(walked, path)
		return nil
	}))
	if want := "s3:/b/b/2,s3:/b/b/3,s3:/b/c/d/e,s3:/b/z"; strings.Join(walked, ",") != want {
		t.Errorf("walked %v", walked)
	}
	if _, err := f.Stat("s3:/b/nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of nothing: %v", err)
	}
	if i, err := f.Stat("s3:/b/c/d"); err != nil || !i.IsDir() {
		t.Errorf("stat of a directory: %v %v", i, err)
	}
	must(t, f.RemoveAll("s3:/b/b"))
	if left := len(store.Keys()); left != 4 {
		t.Errorf("%d objects are left", left)
	}
}

// Only one of two writers gets a name that is given out once; an answer that was lost
// does not make it two.
func TestFreshNames(t *testing.T) {
	store := objecttest.New()
	a, b := store.Client(), store.Client()
	lost := true
	a.OnRequest(func(n int64, kind, _ string) (objecttest.Fate, error) {
		if kind == "put" && lost {
			lost = false
			return objecttest.After, object.ErrTransient
		}
		return "", nil
	})
	must(t, vfs.WriteFresh(a.FS("a"), "s3:/b/x", []byte("A")))
	if err := vfs.WriteFresh(b.FS("b"), "s3:/b/x", []byte("B")); !errors.Is(err, vfs.ErrConflict) {
		t.Errorf("the second writer: %v", err)
	}
	if got := read(t, b.FS("c"), "s3:/b/x"); got != "A" {
		t.Errorf("content %q", got)
	}
	must(t, vfs.SwapFile(b.FS("b"), "s3:/b/x", []byte("A"), []byte("B")))
	if err := vfs.SwapFile(a.FS("a"), "s3:/b/x", []byte("A"), []byte("C")); !errors.Is(err, vfs.ErrConflict) {
		t.Errorf("a swap of old content: %v", err)
	}
}

// A log behaves as a file does, for random writes, and after every restart.
func TestLogIsAFile(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	store := objecttest.New()
	store.PageSize = 7
	var want []byte
	f := store.Client().FS("0")
	file, err := f.CreateExclusive("s3:/b/log/0.log")
	must(t, err)
	must(t, file.Sync())
	for n := range 300 {
		switch rng.IntN(8) {
		case 0:
			size := rng.IntN(len(want) + 2000)
			must(t, file.Truncate(int64(size)))
			want = append(want, make([]byte, max(0, size-len(want)))...)[:size]
		case 1:
			must(t, vfs.Preallocate(file, int64(len(want)), 5000))
			want = append(want, make([]byte, 5000)...)
		case 2:
			must(t, file.Sync())
			f = store.Client().FS(fmt.Sprint(n + 1))
			must(t, f.TakeOver("s3:/b/log"))
			file, err = f.OpenReadWrite("s3:/b/log/0.log")
			must(t, err)
		default:
			off, data := rng.IntN(len(want)+1), make([]byte, rng.IntN(3000))
			for i := range data {
				data[i] = byte(rng.IntN(3))
			}
			_, err := file.WriteAt(data, int64(off))
			must(t, err)
			want = append(want, make([]byte, max(0, off+len(data)-len(want)))...)
			copy(want[off:], data)
		}
		got, err := io.ReadAll(io.NewSectionReader(file, 0, int64(len(want))+10))
		must(t, err)
		if !bytes.Equal(got, want) {
			t.Fatalf("step %d: the file has %d bytes, expected %d", n, len(got), len(want))
		}
	}
	// Another process that only looks sees the same.
	must(t, file.Sync())
	other := store.Client().FS("reader")
	if list, err := other.ReadDir("s3:/b/log"); err != nil || len(list) != 1 || list[0].Name() != "0.log" {
		t.Fatalf("list %v %v", list, err)
	}
	if got := read(t, other, "s3:/b/log/0.log"); got != string(want) {
		t.Error("the reader sees another content")
	}
}

// Whoever takes a log over fences the one before, which is told by whom, however late it
// comes; the files that it removed in between do not matter.
func TestTakeOver(t *testing.T) {
	store := objecttest.New()
	old, young := store.Client().FS("old"), store.Client().FS("young")
	file, err := old.CreateExclusive("s3:/b/log/0.log")
	must(t, err)
	put := func(file vfs.File, text string) error {
		info, _ := file.Stat()
		_, err := file.WriteAt([]byte(text), info.Size())
		return errors.Join(err, file.Sync())
	}
	must(t, put(file, "one"))
	must(t, young.TakeOver("s3:/b/log"))
	next, err := young.CreateExclusive("s3:/b/log/1.log")
	must(t, err)
	must(t, put(next, "two"))
	must(t, young.Remove("s3:/b/log/0.log"))
	must(t, young.Remove("s3:/b/log/1.log"))
	for range 3 {
		if err := put(file, "late"); !errors.Is(err, vfs.ErrConflict) || !strings.Contains(err.Error(), "process young") {
			t.Fatalf("the old process: %v", err)
		}
	}
	if err := old.Confirm("s3:/b/log"); !errors.Is(err, vfs.ErrConflict) {
		t.Errorf("the old process is told: %v", err)
	}
	must(t, young.Confirm("s3:/b/log"))
	if _, err := young.CreateExclusive("s3:/b/log/1.log"); err != nil {
		t.Errorf("a removed file cannot be made again: %v", err)
	}
}

// A staged file is durable before anybody sees it, and is revealed by another process.
func TestStaging(t *testing.T) {
	store := objecttest.New()
	f := store.Client().FS("a")
	large := strings.Repeat("0123456789abcdef", (object.PartBytes+5)/8)
	tickets := map[string]string{}
	for name, text := range map[string]string{"s3:/b/out/large": large, "s3:/b/out/small": "x", "s3:/b/out/empty": ""} {
		s, err := f.Stage(name)
		must(t, err)
		_, err = io.WriteString(s, text)
		must(t, err)
		must(t, s.Sync())
		tickets[name] = s.Ticket()
		must(t, s.Close())
	}
	if keys := store.Keys(); len(keys) != 0 {
		t.Fatalf("staged files are visible: %v", keys)
	}
	later := store.Client().FS("b")
	for name, ticket := range tickets {
		must(t, later.Reveal(name, ticket))
		if err := later.Reveal(name, ticket); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s revealed again: %v", name, err)
		}
	}
	if read(t, later, "s3:/b/out/large") != large || read(t, later, "s3:/b/out/small") != "x" || read(t, later, "s3:/b/out/empty") != "" {
		t.Error("another content")
	}
	s, err := f.Stage("s3:/b/out/lost")
	must(t, err)
	_, err = io.WriteString(s, "lost")
	must(t, errors.Join(err, s.Sync()))
	must(t, later.Forget("s3:/b/out", func(name string) bool { return name == "s3:/b/out/lost" }))
	if err := later.Reveal("s3:/b/out/lost", s.Ticket()); !errors.Is(err, fs.ErrNotExist) || store.Unfinished() != 0 {
		t.Errorf("a forgotten file: %v, %d uploads", err, store.Unfinished())
	}
}

// A large file, and an object that changes while it is read.
func TestReading(t *testing.T) {
	store := objecttest.New()
	f := store.Client().FS("a")
	data := make([]byte, 10<<20)
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	must(t, vfs.WriteFileAtomic(f, "s3:/b/large", data, true))
	store.Requests()
	file, err := f.Open("s3:/b/large")
	must(t, err)
	got, err := io.ReadAll(file)
	must(t, err)
	if !bytes.Equal(got, data) {
		t.Fatal("another content")
	}
	if c := store.Requests(); c["get"] > 5 {
		t.Errorf("reading in order took %v", c)
	}
	p := make([]byte, 1000)
	for range 50 {
		off := rng.IntN(len(data))
		n, err := file.ReadAt(p, int64(off))
		if n != min(len(p), len(data)-off) || n < len(p) && !errors.Is(err, io.EOF) || !bytes.Equal(p[:n], data[off:off+n]) {
			t.Fatalf("read at %d: %d %v", off, n, err)
		}
	}
	must(t, vfs.WriteFileAtomic(f, "s3:/b/large", data[1:], true))
	if _, err := file.ReadAt(p, 5<<20); err == nil {
		if _, err = file.ReadAt(p, 9<<20); err == nil {
			t.Error("a replaced object is read on")
		}
	}
	if _, err := file.Write(p); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("write: %v", err)
	}
}

func TestRetriesEnd(t *testing.T) {
	c := objecttest.New().Client()
	n := 0
	c.OnRequest(func(int64, string, string) (objecttest.Fate, error) {
		n++
		return objecttest.Before, fmt.Errorf("503: %w", object.ErrTransient)
	})
	err := vfs.WriteFileAtomic(c.FS("a"), "s3:/b/x", nil, true)
	if !errors.Is(err, object.ErrTransient) || n != 4 || !strings.Contains(err.Error(), "tried 4 times") {
		t.Errorf("%d tries: %v", n, err)
	}
}
