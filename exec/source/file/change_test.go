package file_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

func (l *land) mustPlan(s source.Source, lim source.Limits) source.Range {
	l.t.Helper()
	r, ok, err := s.Plan(context.Background(), lim, nil)
	if err != nil || !ok {
		l.t.Fatalf("nothing planned: %v", err)
	}
	return r
}

func (l *land) remove(name string) {
	l.t.Helper()
	if err := os.Remove(l.path(name)); err != nil {
		l.t.Fatal(err)
	}
}

func TestChangedAfterItWasTaken(t *testing.T) {
	const tail = "; put it back as it was to go on; write files elsewhere and move them here when they are whole, or set min_file_age"
	grown := `source "clicks": file in/a.txt changed after it was taken: it had 1 bytes at 2023-11-14 22:13:21.000000, and has 3 bytes at 2023-11-14 22:13:22.000000` + tail
	l := newLand(t)
	l.put("in/a.txt", "a", 1)
	s := l.mustOpen()
	r := l.mustPlan(s, none)
	l.put("in/a.txt", "abc", 2)
	_, err := l.rows(s, r) // before it was read
	l.wantErr(err, grown)
	l.wantErr(second(s.Plan(context.Background(), none, nil)), grown) // and after it
	l.wantErr(second(l.restart(r).Plan(context.Background(), none, nil)), grown)

	l.put("in/a.txt", "x", 2)
	_, err = l.rows(s, r) // same size, another time
	l.wantErr(err, strings.Replace(grown, "3 bytes", "1 bytes", 1))
	l.want(l.plan(s, none, nil), "-")
	l.put("in/a.txt", "a", 1)
	got, err := l.rows(s, r)
	if err != nil {
		t.Fatal(err)
	}
	l.want(got, "a")
}

func second(_ source.Range, _ bool, err error) error { return err }

func TestVanishedAfterItWasTaken(t *testing.T) {
	l := newLand(t)
	l.put("in/a.txt", "a", 1)
	l.put("in/b.txt", "b", 1)
	s := l.mustOpen()
	r := l.mustPlan(s, none)
	l.remove("in/a.txt")
	_, err := l.rows(s, r)
	l.wantErr(err, `source "clicks": file in/a.txt vanished after it was taken (1 bytes at 2023-11-14 22:13:21.000000); put it back, or set ignore_missing_files = true to go on without its rows`)
	l.set("ignore_missing_files", "true")
	got, err := l.rows(l.mustOpen(), r)
	if err != nil {
		t.Fatal(err)
	}
	l.want(got, "b")
}

// A file that changes while it is read: the rows were given out, so the trigger fails.
func TestChangedWhileItIsRead(t *testing.T) {
	l := newLand(t)
	l.put("in/a.txt", "a", 1)
	s := l.mustOpen()
	r := l.mustPlan(s, none)
	splits, err := s.Splits(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	l.put("in/a.txt", "abc", 2)
	err = splits[0].Read(context.Background(), source.Reading{Need: []int{0}}, nil)
	if err == nil || !strings.Contains(err.Error(), "changed after it was taken") {
		t.Error(err)
	}
}

func TestBadLocations(t *testing.T) {
	l := newLand(t)
	for path, want := range map[string]string{
		"missing":          `source "clicks": path missing does not exist`,
		"missing/*.txt":    `source "clicks": directory missing of the path missing/*.txt does not exist`,
		"ftp://host/x":     `source "clicks": path ftp://host/x: there is no file system for ftp:// paths; file://, s3:// and, for finite tables, http(s):// can be read`,
		"file://host/x":    `source "clicks": "file://host/x" is not a file URI: write file:///path`,
		"in/[":             `source "clicks": "in/[" is not a glob pattern`,
		"in/a.txt/*":       `source "clicks": directory in/a.txt of the path in/a.txt/* does not exist`,
		"missing/file.txt": `source "clicks": path missing/file.txt does not exist`,
	} {
		l.put("in/a.txt", "a", 1)
		l.set("path", path)
		_, err := l.open()
		l.wantErr(err, want)
	}
}

func TestDirectoryVanishes(t *testing.T) {
	l := newLand(t)
	s := l.mustOpen()
	if err := os.RemoveAll(l.path("in")); err != nil {
		t.Fatal(err)
	}
	l.wantErr(second(s.Plan(context.Background(), none, nil)), `source "clicks": directory DIR/in is gone`)
	if err := os.WriteFile(l.path("in"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	l.wantErr(second(s.Plan(context.Background(), none, nil)), `source "clicks": directory DIR/in is gone`)
}

func TestBadOptions(t *testing.T) {
	for _, c := range [][3]string{
		{"clean_source", "archive", `error SQL4004: clean_source = 'archive' needs archive_dir`},
		{"archive_dir", "x", `error SQL4006: archive_dir is given, but clean_source is 'off' (hint: clean_source = 'archive' moves files there)`},
		{"path_glob_filter", "[", `error SQL4003: "[" is not a glob pattern`},
		{"format", "linse", `error SQL4003: unknown format "linse" (hint: did you mean "lines"?)`},
		{"format", "xml", `error SQL4003: unknown format "xml" (hint: the formats are lines)`},
		{"comment", "refused", `error SQL2024: no such comment`},
		{"max_file_age", "soon", `error SQL4003: option "max_file_age" is "soon", expected a duration such as '10 minutes' or '500 ms'`},
	} {
		l := newLand(t, c[0], c[1])
		l.put("in/a.txt", "a", 1)
		_, err := l.open()
		l.wantErr(err, c[2])
	}
	l := newLand(t)
	l.opts = l.opts[1:] // no format
	_, err := l.open()
	l.wantErr(err, `error SQL4004: the format of source "clicks" is not known: no file is there whose name could say it (hint: format = 'lines')`)
	l.put("in/a.unknown", "a", 1)
	_, err = l.open()
	l.wantErr(err, `error SQL4004: the format of source "clicks" is not known: the name of file a.unknown does not say it (hint: format = 'lines')`)
	l.remove("in/a.unknown")
	l.set("path", "nowhere")
	_, err = l.open()
	l.wantErr(err, `path nowhere does not exist`)
	l.set("path", "in")
	l.put("in/a.txt", "a", 1)
	l.want(l.plan(l.mustOpen(), none, nil), "a") // by its extension
}

func TestArchiveMustNotOverlap(t *testing.T) {
	for _, dir := range []string{"in", "in/old", ".", "in/../in/x"} {
		l := newLand(t, "clean_source", "archive", "archive_dir", dir)
		_, err := l.open()
		l.wantErr(err, `error SQL4006: archive_dir "`+dir+`" overlaps the path "in" (hint: archived files would be read again; choose a directory elsewhere)`)
	}
}

// Files go when a later micro-batch is committed (oracle/lab.md 9), also over a restart.
func TestCleanDelete(t *testing.T) {
	l := newLand(t, "clean_source", "delete")
	l.put("in/a.txt", "a", 1)
	s := l.mustOpen()
	r0 := l.mustPlan(s, none)
	l.commit(s, r0)
	l.want(l.files("in"), "a.txt")
	s = l.restart(r0)
	l.commit(s, r0) // run again after the restart
	l.want(l.files("in"), "a.txt")
	l.put("in/b.txt", "b", 2)
	r1 := l.mustPlan(s, none)
	s = l.restart(source.Range{Entries: r0.Entries}, source.Range{Offset: r0.Offset}, r1) // as the trigger loop does it
	l.commit(s, r1)
	l.want(l.files("in"), "b.txt")
	l.commit(s, source.Range{Offset: r1.Offset}) // a batch without files
	l.want(l.files("in"), "")
}

func TestCleanArchive(t *testing.T) {
	l := newLand(t, "clean_source", "archive", "archive_dir", "old")
	l.cols = append(l.cols, column("day", 5))
	l.put("in/day=1/a.txt", "a", 1)
	l.put("old/day=1/a.txt", "older", 1)
	s := l.mustOpen()
	l.commit(s, l.mustPlan(s, none))
	l.put("in/day=2/b.txt", "b", 2)
	l.commit(s, l.mustPlan(s, none))
	l.want(l.files("in"), "day=2/b.txt")
	l.want(l.files("old"), "day=1/a.txt day=1/a.txt.1")
}

func TestArchiveStaysInside(t *testing.T) {
	l := newLand(t, "clean_source", "archive", "archive_dir", "old")
	l.cols = append(l.cols, column("day", 5))
	l.put("in/day=1/a.txt", "a", 1)
	if err := os.MkdirAll(l.path("old"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), l.path("old/day=1")); err != nil {
		t.Fatal(err)
	}
	s := l.mustOpen()
	l.commit(s, l.mustPlan(s, none))
	l.put("in/day=2/b.txt", "b", 2)
	l.wantErr(s.Committed(context.Background(), l.mustPlan(s, none)),
		`source "clicks": clean_source = 'archive': file in/day=1/a.txt: DIR/old/day=1 is a symbolic link`)
}

func TestSymbolicLinks(t *testing.T) {
	l := newLand(t, "recursive_file_lookup", "true")
	l.put("elsewhere/a.txt", "a", 1)
	for link, to := range map[string]string{"in/a.txt": "../elsewhere/a.txt", "in/dir": "../elsewhere", "in/loop": "..", "in/none.txt": "nowhere"} {
		if err := os.Symlink(to, l.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	l.want(l.plan(l.mustOpen(), none, nil), "a")
}

func (l *land) commit(s source.Source, r source.Range) {
	l.t.Helper()
	if err := s.Committed(context.Background(), r); err != nil {
		l.t.Fatal(err)
	}
}

func (l *land) files(dir string) string {
	l.t.Helper()
	var out []string
	err := filepath.WalkDir(l.path(dir), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(l.path(dir), p)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestBadLogEntries(t *testing.T) {
	l := newLand(t)
	for _, c := range []struct {
		r    source.Range
		want string
	}{
		{source.Range{Entries: []json.RawMessage{[]byte(`{"path":"a`)}}, `source log entry 1: unexpected end of JSON input`},
		{source.Range{Entries: []json.RawMessage{[]byte(`{}`)}}, `source log entry 1 has no path`},
		{source.Range{Offset: []byte(`{"rows":3}`)}, `offset {"rows":3} is not that of a file source`},
		{source.Range{Entries: []json.RawMessage{[]byte(`{"path":"/else/a.txt"}`)}}, `the source log names /else/a.txt, which is not below DIR/in: the source had another path`},
	} {
		l.wantErr(l.mustOpen().Restore(c.r), `source "clicks": `+c.want)
	}
}

// A merged file is read in the place of those that it replaces, or not at all; where some
// of them were taken, the others are.
func TestMergedFiles(t *testing.T) {
	for taken, want := range []string{"abc", "b c", "c", "-"} {
		l := newLand(t)
		log := sinklog.Open(vfs.OS(), l.path("in"))
		if err := log.SetOwner(sinklog.Owner{QueryID: "q"}); err != nil {
			t.Fatal(err)
		}
		publish := func(n int64, name string, replaces ...string) {
			l.put("in/"+name, strings.TrimSuffix(name, ".txt"), n)
			f := sinklog.File{Name: name, Size: 1, Mtime: at(n), Rows: -1, Batch: n, Replaces: replaces}
			err := log.AppendKeeping(n, []sinklog.File{f}, at(n), func([]sinklog.File) ([]sinklog.File, error) { return nil, nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		s := l.mustOpen()
		var ranges []source.Range
		for n, name := range []string{"a.txt", "b.txt", "c.txt"} {
			publish(int64(n), name)
			if n < taken {
				ranges = append(ranges, l.mustPlan(s, none))
			}
		}
		for n := int64(3); n < 9; n++ {
			if err := log.Append(n, nil, at(n)); err != nil {
				t.Fatal(err)
			}
		}
		publish(9, "abc.txt", "a.txt", "b.txt", "c.txt")
		l.want(l.plan(l.restart(ranges...), none, nil), want) // which has seen nothing else of the log
		l.want(l.plan(s, none, nil), want)
	}
}

// A directory that a file sink wrote is read through the sink's log.
func TestSinkDirectory(t *testing.T) {
	l := newLand(t)
	log := sinklog.Open(vfs.OS(), l.path("in"))
	if err := log.SetOwner(sinklog.Owner{QueryID: "q"}); err != nil {
		t.Fatal(err)
	}
	l.put("in/orphan.txt", "orphan", 1)
	s := l.mustOpen()
	l.want(l.plan(s, none, nil), "-")
	var ranges []source.Range
	for n := range int64(12) {
		name := "part-" + strconv.FormatInt(n, 10) + ".txt"
		l.put("in/"+name, strconv.FormatInt(n, 10), n)
		if err := log.Append(n, []sinklog.File{{Name: name, Size: 1, Mtime: at(n), Rows: -1, Batch: n}}, at(n)); err != nil {
			t.Fatal(err)
		}
		r := l.mustPlan(s, none)
		got, err := l.rows(s, r)
		if err != nil {
			t.Fatal(err)
		}
		l.want(got, strconv.FormatInt(n, 10))
		ranges = append(ranges, r)
	}
	l.want(l.plan(l.restart(ranges[:9]...), none, nil), "9 10 11")
	one := l.restart(ranges[:9]...)
	l.want(l.plan(one, source.Limits{Files: 1}, nil), "9")
	snap, err := one.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	l.want(l.plan(one, none, snap), "10 11")
	l.remove("in/part-11.txt")
	_, err = l.tryPlan(l.restart(ranges[:9]...), none, nil)
	l.wantErr(err, `source "clicks": file in/part-11.txt is in the sink's log in/_spark_metadata, but does not exist; set ignore_missing_files = true to go on without its rows`)
	l.set("clean_source", "delete")
	_, err = l.open()
	l.wantErr(err, `error SQL4006: clean_source = 'delete' would remove files that the log of the sink in in lists`)
}

// Whatever is added when, and whenever the source is opened again, each file is taken
// exactly once, and each range that was logged reads the same rows again.
func TestEachFileOnceUnderRestarts(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		l := newLand(t, "recursive_file_lookup", "true", "latest_first", strconv.FormatBool(rng.IntN(4) == 0))
		h := history{l: l, rng: rng, s: l.mustOpen()}
		for range 30 {
			h.step()
		}
		for h.take(none) {
		}
		slices.Sort(h.got)
		slices.Sort(h.put)
		l.want(strings.Join(h.got, " "), strings.Join(h.put, " "))
	}
}

type history struct {
	l      *land
	rng    *rand.Rand
	s      source.Source
	log    []source.Range
	rows   []string // of each range
	put    []string
	got    []string
	serial int
}

func (h *history) step() {
	switch h.rng.IntN(5) {
	case 0, 1:
		for range 1 + h.rng.IntN(3) {
			h.serial++
			name := "f" + strconv.Itoa(h.serial)
			dir := []string{"in/", "in/x/", "in/y/z/"}[h.rng.IntN(3)]
			h.l.put(dir+name+".txt", name, int64(h.rng.IntN(5)))
			h.put = append(h.put, name)
		}
	case 2, 3:
		h.take(source.Limits{Files: int64(h.rng.IntN(3)), Bytes: int64(h.rng.IntN(8))})
	case 4:
		h.s = h.l.restart(h.log...)
		for i, r := range h.log {
			got, err := h.l.rows(h.s, r)
			if err != nil {
				h.l.t.Fatal(err)
			}
			h.l.want(got, h.rows[i])
		}
	}
}

func (h *history) take(lim source.Limits) bool {
	r, ok, err := h.s.Plan(context.Background(), lim, nil)
	if err != nil {
		h.l.t.Fatal(err)
	}
	if !ok {
		return false
	}
	if h.rng.IntN(10) == 0 { // a crash before offsets/N was durable
		h.s = h.l.restart(h.log...)
		return true
	}
	text, err := h.l.rows(h.s, r)
	if err != nil {
		h.l.t.Fatal(err)
	}
	h.log, h.rows = append(h.log, r), append(h.rows, text)
	h.got = append(h.got, strings.Fields(text)...)
	return true
}
