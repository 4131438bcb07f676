package file_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

func TestOrderIsTimeThenPath(t *testing.T) {
	l := newLand(t)
	l.put("in/f0.txt", "f0", 30)
	l.put("in/f1.txt", "f1", 10)
	l.put("in/c.txt", "c", 20)
	l.put("in/a.txt", "a", 20)
	s := l.mustOpen()
	l.want(l.plan(s, none, nil), "f1 a c f0")
	l.want(l.plan(s, none, nil), "-")
	l.put("in/old.txt", "old", 5)
	l.want(l.plan(s, none, nil), "old")
}

func TestLatestFirst(t *testing.T) {
	l := newLand(t, "latestFirst", "true", "max_file_age", "1 second")
	l.put("in/a.txt", "a", 10)
	l.put("in/b.txt", "b", 30)
	l.put("in/c.txt", "c", 20)
	s := l.mustOpen()
	one := source.Limits{Files: 1}
	l.want(l.plan(s, one, nil), "b")
	l.put("in/d.txt", "d", 25)
	l.want(l.plan(s, one, nil), "d")
	l.want(l.plan(s, one, nil), "c")
	l.want(l.plan(s, one, nil), "a")
	l.want(l.plan(s, one, nil), "-")
}

func TestOffsetsAndEntries(t *testing.T) {
	l := newLand(t)
	l.put("in/a.txt", "aa\n", 1)
	s := l.mustOpen()
	r, _, err := s.Plan(context.Background(), none, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.want(string(r.Offset), `{"logOffset":0}`)
	l.want(strings.ReplaceAll(string(r.Entries[0]), l.dir, "DIR"),
		`{"path":"DIR/in/a.txt","size":3,"mtime_us":1700000001000000,"batchId":0}`)
	l.put("in/b.txt", "b", 2)
	if r, _, err = s.Plan(context.Background(), none, nil); err != nil {
		t.Fatal(err)
	}
	l.want(string(r.Offset), `{"logOffset":1}`)
}

func TestLimits(t *testing.T) {
	l := newLand(t)
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		l.put("in/"+name+".txt", strings.Repeat(name, 10), int64(i))
	}
	s := l.mustOpen()
	row := func(c string) string { return strings.Repeat(c, 10) }
	l.want(l.plan(s, source.Limits{Files: 1}, nil), row("a"))
	l.want(l.plan(s, source.Limits{Bytes: 5}, nil), row("b"))
	l.want(l.plan(s, source.Limits{Bytes: 25, Files: 3}, nil), row("c")+" "+row("d"))
	_, err := l.tryPlan(s, source.Limits{Rows: 5}, nil)
	l.wantErr(err, `source "clicks": max_rows_per_trigger does not apply to files; use max_files_per_trigger or max_bytes_per_trigger`)
	l.want(l.plan(s, source.Limits{Bytes: 1e6}, nil), row("e"))
}

// Identity is the path: a renamed file is read again, a replaced one is not.
func TestIdentity(t *testing.T) {
	l := newLand(t)
	l.put("in/a.txt", "a", 1)
	s := l.mustOpen()
	l.want(l.plan(s, none, nil), "a")
	if err := os.Rename(l.path("in/a.txt"), l.path("in/a2.txt")); err != nil {
		t.Fatal(err)
	}
	l.want(l.plan(s, none, nil), "a")
	l.put("in/a2.txt", "x", 50)
	l.want(l.plan(s, none, nil), "-")
}

func TestFileNameOnly(t *testing.T) {
	l := newLand(t, "file_name_only", "true", "path", "*/*.txt")
	l.put("x/d.txt", "x", 1)
	l.put("y/d.txt", "y", 1)
	s := l.mustOpen()
	l.want(l.plan(s, none, nil), "x y") // as Spark: both in one micro-batch (oracle/lab.md 3)
	l.put("z/d.txt", "z", 2)
	l.put("z/e.txt", "e", 2)
	l.want(l.plan(s, none, nil), "e")
}

func TestHiddenAndTemporaryNames(t *testing.T) {
	l := newLand(t, "recursive_file_lookup", "true")
	for _, name := range []string{"_h.txt", ".h.txt", "h.txt.tmp", "h.crc", "h._COPYING_", "h.inprogress",
		"_staging/h.txt", ".git/h.txt", "sub/_x/h.txt"} {
		l.put("in/"+name, "hidden", 1)
	}
	l.put("in/sub/ok.txt", "ok", 1)
	l.want(l.plan(l.mustOpen(), none, nil), "ok")
}

func TestDirectoriesBelow(t *testing.T) {
	l := newLand(t)
	l.put("in/sub/h.txt", "h", 1)
	l.put("in/a.txt", "a", 1)
	l.want(l.plan(l.mustOpen(), none, nil), "a")
	l.set("recursiveFileLookup", "true")
	l.want(l.plan(l.mustOpen(), none, nil), "a h")
	l.set("path_glob_filter", "h*")
	l.want(l.plan(l.mustOpen(), none, nil), "h")
}

func TestGlobs(t *testing.T) {
	l := newLand(t)
	l.put("in/a.txt", "a", 1)
	l.put("in/b.csv", "b", 1)
	l.put("in/x/c.txt", "c", 1)
	l.put("in/x/y/d.txt", "d", 1)
	l.put("other/e.txt", "e", 1)
	for pattern, want := range map[string]string{
		"in/*.txt": "a", "in/**/*.txt": "a c d", "in/*/*.txt": "c", "*/*.txt": "a e", "in/{a,b}.*": "a b",
		"in/x/*": "c d", "in/*": "a b c", "{in/x,other}/*.txt": "c e", "in/[b-z]*": "b c", "in/a.txt": "a",
	} {
		l.set("path", pattern)
		l.want(pattern+": "+l.plan(l.mustOpen(), none, nil), pattern+": "+want)
	}
	l.set("path", "file://"+l.path("in/a.txt"))
	l.want(l.plan(l.mustOpen(), none, nil), "a")
}

func TestNewDirectoriesAreFound(t *testing.T) {
	l := newLand(t, "path", "in/**/*.txt")
	s := l.mustOpen()
	l.want(l.plan(s, none, nil), "-")
	l.put("in/x/y/a.txt", "a", 1)
	l.want(l.plan(s, none, nil), "a")
	l.put("in/x/y/b.txt", "b", 1)
	l.want(l.plan(s, none, nil), "b")
}

func TestMaxFileAge(t *testing.T) {
	l := newLand(t, "max_file_age", "1 hour")
	l.put("in/old.txt", "old", 0)
	l.put("in/new.txt", "new", 100_000)
	s := l.mustOpen()
	l.want(l.plan(s, none, nil), "old new") // not in the first micro-batch
	l.put("in/late.txt", "late", 100_000-3601)
	l.put("in/fine.txt", "fine", 100_000-3600)
	l.want(l.plan(s, none, nil), "fine")
	l.want(l.plan(s, none, nil), "-")
	if n := s.(source.Ignorer).Ignored(); n != 1 {
		t.Errorf("%d files were too old, not 1", n)
	}
}

func TestMinFileAge(t *testing.T) {
	l := newLand(t, "min_file_age", "30 seconds")
	l.clock.Set(at(100))
	l.put("in/a.txt", "a", 60)
	l.put("in/b.txt", "b", 80)
	s := l.mustOpen()
	l.want(l.plan(s, none, nil), "a")
	l.want(l.plan(s, none, nil), "-")
	l.clock.Set(at(110))
	l.want(l.plan(s, none, nil), "b")
}

func TestPartitions(t *testing.T) {
	l := newLand(t)
	day, hour := column("day", types.Date), column("Hour", types.Int32)
	l.cols = []source.Column{day, column("value", types.String), hour, column("who", types.String)}
	l.put("in/day=1970-01-02/hour=07/who=a%2Fb%20c/a.txt", "a", 1)
	l.put("in/day=1970-01-03/hour=__HIVE_DEFAULT_PARTITION__/who=/b.txt", "b", 2)
	s := l.mustOpen()
	l.want(l.plan(s, none, nil), "1,a,7,a/b c 2,b,NULL,")
	l.put("in/day=1970-01-04/hour=8/who=x/c.txt", "c", 3)
	l.want(l.plan(s, none, nil), "3,c,8,x") // a new value is fine
}

func TestPartitionErrors(t *testing.T) {
	for _, c := range []struct{ first, then, want string }{
		{"day=1/a.txt", "day=2/hour=3/b.txt", `file in/day=2/hour=3/b.txt: its path has the partition key "hour"; the keys of the source are day`},
		{"day=1/a.txt", "b.txt", `file in/b.txt: its path lacks the partition key "day"; the keys of the source are day`},
		{"a.txt", "day=1/b.txt", `file in/day=1/b.txt: its path has the partition key "day"; the source has none since its first file`},
		{"day=1/a.txt", "day=2/day=3/b.txt", `file in/day=2/day=3/b.txt: its path has the partition key "day" twice`},
		{"day=1/a.txt", "day=x/b.txt", `file in/day=x/b.txt: partition key "day": "x" is not an INT`},
	} {
		l := newLand(t)
		l.cols = append(l.cols, column("day", types.Int32))
		l.put("in/"+c.first, "a", 1)
		r := l.mustOpen()
		first, _, err := r.Plan(context.Background(), none, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.put("in/"+c.then, "b", 2)
		for _, s := range []source.Source{r, l.restart(first)} {
			_, err = l.tryPlan(s, none, nil)
			l.wantErr(err, `source "clicks": `+c.want)
		}
	}
}

func TestUndeclaredPartitionKey(t *testing.T) {
	l := newLand(t)
	l.put("in/region=eu/a.txt", "a", 1)
	_, err := l.open()
	l.wantErr(err, `source "clicks": file in/region=eu/a.txt: its path has the partition key "region", which is not a column of the source`)
}

// restart is a new source that has replayed ranges.
func (l *land) restart(ranges ...source.Range) source.Source {
	l.t.Helper()
	s := l.mustOpen()
	for _, r := range ranges {
		if err := s.Restore(r); err != nil {
			l.t.Fatal(err)
		}
	}
	return s
}

func TestMetadataColumns(t *testing.T) {
	l := newLand(t)
	l.cols = append(l.cols, meta("path", types.String), meta("file_name", types.String), meta("size", types.Int64),
		meta("modification_time", types.Timestamp))
	l.put("in/a.txt", "abc", 7)
	got := l.plan(l.mustOpen(), none, nil)
	l.want(strings.ReplaceAll(got, l.dir, "DIR"), "abc,DIR/in/a.txt,a.txt,3,1700000007000000")
}

func TestAvailableNow(t *testing.T) {
	l := newLand(t)
	for i, name := range []string{"a", "b", "c"} {
		l.put("in/"+name+".txt", name, int64(i))
	}
	s := l.mustOpen()
	l.want(l.plan(s, source.Limits{Files: 1}, nil), "a") // the unfinished batch
	snap, err := s.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	l.put("in/later.txt", "later", 1)
	l.want(l.plan(s, source.Limits{Files: 1}, snap), "b")
	l.want(l.plan(s, source.Limits{Files: 1}, snap), "c")
	l.want(l.plan(s, source.Limits{Files: 1}, snap), "-")
	l.want(l.plan(s, none, nil), "later")
}

func TestFinite(t *testing.T) {
	l := newLand(t)
	l.fin = true
	l.put("in/a.txt", "a", 1)
	s := l.mustOpen()
	if s.Finished() {
		t.Error("finished before it was planned")
	}
	l.want(l.plan(s, none, nil), "a")
	if !s.Finished() {
		t.Error("not finished")
	}
	l.want(l.plan(s, none, nil), "-")
	l.want(s.Description(), "FileSource[in]")
}

func TestBadRows(t *testing.T) {
	l := newLand(t)
	l.put("in/a.txt", "x\nbad\ny", 1)
	_, err := l.tryPlan(l.mustOpen(), none, nil)
	l.wantErr(err, `source "clicks": in/a.txt:2: not a row; the row is bad; on_error = 'skip' goes on without such rows, and counts them`)
	l.onErr = source.Skip
	l.want(l.plan(l.mustOpen(), none, nil), "x y")
}

func TestInfer(t *testing.T) {
	l := newLand(t)
	l.put("in/day=2024-01-31/n=7/code=007/a.txt", "a", 1)
	l.put("in/day=2024-02-01/n=x/code=008/b.txt", "b", 2)
	cols, err := l.infer()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cols {
		got = append(got, c.Name+" "+c.Type.String())
	}
	l.want(strings.Join(got, ", "), "value STRING, day DATE, n STRING, code STRING")
}

// Entries of old files go, but not before their range is committed.
func TestKeep(t *testing.T) {
	l := newLand(t, "max_file_age", "1 hour")
	l.put("in/a.txt", "a", 0)
	l.put("in/b.txt", "b", 10_000)
	s := l.mustOpen()
	k := s.(source.Keeper)
	r := l.mustPlan(s, none)
	if !k.Keep(r.Entries[0]) {
		t.Error("an entry that a re-run needs was given up")
	}
	l.commit(s, r)
	l.put("in/c.txt", "c", 10_001)
	l.commit(s, l.mustPlan(s, none))
	if k.Keep(r.Entries[0]) || !k.Keep(r.Entries[1]) {
		t.Error("Keep is wrong")
	}
	again := l.restart(source.Range{Offset: r.Offset, Entries: r.Entries[1:]})
	l.want(l.plan(again, none, nil), "c")
}
