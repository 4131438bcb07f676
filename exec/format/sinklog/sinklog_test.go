package sinklog_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

func at(sec int64) time.Time { return time.Unix(1700000000+sec, 0) }

func file(name string, batch int64) sinklog.File {
	return sinklog.File{Name: name, Size: 10 + batch, Mtime: at(batch), Rows: batch, Log: -1, Batch: batch, Digest: "d"}
}

// write appends batches from, from+1 … to, each with one file.
func write(t *testing.T, l *sinklog.Log, from, to int64, now time.Time) {
	t.Helper()
	for n := from; n <= to; n++ {
		if err := l.Append(n, []sinklog.File{file(fmt.Sprintf("part-%d.parquet", n), n)}, now); err != nil {
			t.Fatal(err)
		}
	}
}

func newLog(t *testing.T) (*sinklog.Log, string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out dir")
	l := sinklog.Open(vfs.OS(), out)
	if err := l.SetOwner(sinklog.Owner{QueryID: "q1", Query: "counts", Epoch: 1}); err != nil {
		t.Fatal(err)
	}
	return l, out
}

func names(files []sinklog.File) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, " ")
}

func TestFormatIsSparks(t *testing.T) {
	l, out := newLog(t)
	if err := l.Append(0, []sinklog.File{file("day=3%2F4/part-0 é.parquet", 0)}, at(0)); err != nil {
		t.Fatal(err)
	}
	data, err := vfs.ReadFile(vfs.OS(), filepath.Join(out, "_spark_metadata", "0"))
	if err != nil {
		t.Fatal(err)
	}
	uri := "file://" + strings.ReplaceAll(filepath.ToSlash(out), " ", "%20") + "/day=3%252F4/part-0%20%C3%A9.parquet"
	want := `v1` + "\n" + `{"path":"` + uri + `","size":10,"isDir":false,"modificationTime":1700000000000,` +
		`"blockReplication":1,"blockSize":33554432,"action":"add","name":"day=3%2F4/part-0 é.parquet","rows":0,"log":0,"batch":0,"digest":"d"}`
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
}

func TestEveryTenthBatchHoldsAll(t *testing.T) {
	l, out := newLog(t)
	write(t, l, 0, 24, at(0))
	for _, n := range []string{"9", "19"} {
		if _, err := vfs.OS().Stat(filepath.Join(out, sinklog.Dir, n)); err == nil {
			t.Errorf("batch %s has a plain file", n)
		}
		if _, err := vfs.OS().Stat(filepath.Join(out, sinklog.Dir, n+".compact")); err != nil {
			t.Error(err)
		}
	}
	files, last, err := l.Files()
	if err != nil || last != 24 || len(files) != 25 {
		t.Fatalf("%d files, last %d, %v", len(files), last, err)
	}
	for i, f := range files {
		if f.Batch != int64(i) || f.Name != fmt.Sprintf("part-%d.parquet", i) || f.Size != 10+int64(i) || !f.Mtime.Equal(at(int64(i))) {
			t.Fatalf("file %d is %+v", i, f)
		}
	}
}

func TestSinceReadsOnlyWhatIsNew(t *testing.T) {
	l, _ := newLog(t)
	write(t, l, 0, 12, at(0))
	for since := int64(-1); since <= 12; since++ {
		files, last, err := l.Since(since)
		if err != nil || last != 12 || len(files) != int(12-since) {
			t.Errorf("since %d: %s, %d, %v", since, names(files), last, err)
		}
	}
}

func TestReplacedFilesGoAfterTenMinutes(t *testing.T) {
	l, out := newLog(t)
	late := func() time.Time { // file times are the machine's
		info, err := vfs.OS().Stat(filepath.Join(out, sinklog.Dir, ".owner"))
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime().Add(time.Hour)
	}()
	write(t, l, 0, 9, late.Add(-time.Hour))
	if _, err := vfs.OS().Stat(filepath.Join(out, sinklog.Dir, "3")); err != nil {
		t.Errorf("a reader may still be at work: %v", err)
	}
	write(t, l, 10, 19, late)
	for _, n := range []string{"3", "12", "9.compact"} {
		if _, err := vfs.OS().Stat(filepath.Join(out, sinklog.Dir, n)); err == nil {
			t.Errorf("%s is still there", n)
		}
	}
	files, _, err := l.Since(4)
	if err != nil || len(files) != 15 {
		t.Errorf("since 4: %s, %v", names(files), err)
	}
}

func TestMovedDirectory(t *testing.T) {
	l, out := newLog(t)
	write(t, l, 0, 1, at(0))
	moved := out + "2"
	if err := vfs.OS().Rename(out, moved); err != nil {
		t.Fatal(err)
	}
	files, _, err := sinklog.Open(vfs.OS(), moved).Files()
	if err != nil || names(files) != "part-0.parquet part-1.parquet" {
		t.Errorf("%s, %v", names(files), err)
	}
}

// A log that Spark wrote (oracle/lab.md 1), with partition directories, moved away.
func TestSparksLog(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	put(t, out, "0", "v1\n"+
		`{"path":"file:///lab/old/day=3/h=a%2520b/part-0-c000.snappy.parquet","size":901,"isDir":false,"modificationTime":1795983745411,"blockReplication":1,"blockSize":33554432,"action":"add"}`+"\n"+
		`{"path":"file:///lab/old/gone.parquet","size":1,"isDir":false,"modificationTime":1,"blockReplication":1,"blockSize":33554432,"action":"delete"}`)
	put(t, out, ".0.crc", "x")
	files, last, err := sinklog.Open(vfs.OS(), out).Files()
	if err != nil || last != 0 || len(files) != 1 {
		t.Fatalf("%v %d %v", files, last, err)
	}
	f := files[0]
	if f.Name != "day=3/h=a%20b/part-0-c000.snappy.parquet" || f.Size != 901 || f.Batch != -1 || f.Rows != -1 {
		t.Errorf("got %+v", f)
	}
}

func put(t *testing.T, out, name, text string) {
	t.Helper()
	if err := vfs.OS().MkdirAll(filepath.Join(out, sinklog.Dir)); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(vfs.OS(), filepath.Join(out, sinklog.Dir, name), []byte(text), false); err != nil {
		t.Fatal(err)
	}
}

func TestDamage(t *testing.T) {
	good := `{"path":"file:///o/a.parquet","size":1,"isDir":false,"modificationTime":1,"action":"add"}`
	for _, c := range []struct{ name, text, want string }{
		{"0", "", `0: begins with "", expected "v1"`},
		{"0", "v2\n" + good, `0: begins with "v2", expected "v1"`},
		{"0", "v1\n" + good[:30], `0: line 2: unexpected end of JSON input`},
		{"0", "v1\n{}", `0: line 2: no path`},
		{"0", "v1\n" + `{"path":"file:///o/a","name":"../../etc/passwd","action":"add"}`, `0: line 2: file name "../../etc/passwd" leads out of the directory`},
		{"2", "v1\n" + good, `0: missing, although batch 2 is there`},
		{"12", "v1\n" + good, `0: missing, although batch 12 is there`},
	} {
		out := filepath.Join(t.TempDir(), "out")
		put(t, out, c.name, c.text)
		_, _, err := sinklog.Open(vfs.OS(), out).Files()
		if !errors.Is(err, sinklog.ErrCorrupt) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	l, _ := newLog(t)
	write(t, l, 0, 10, at(0))
	if err := l.Append(10, nil, at(0)); !errors.Is(err, sinklog.ErrExists) {
		t.Errorf("twice: %v", err)
	}
	if err := l.Append(9, nil, at(0)); !errors.Is(err, sinklog.ErrExists) {
		t.Errorf("twice, compacted: %v", err)
	}
	if err := l.Append(12, nil, at(0)); !errors.Is(err, sinklog.ErrCorrupt) {
		t.Errorf("gap: %v", err)
	}
	if err := l.Append(11, nil, at(0)); err != nil {
		t.Error(err)
	}
	if files, ok, err := l.Batch(11); err != nil || !ok || len(files) != 0 {
		t.Errorf("an empty batch: %v %v %v", files, ok, err)
	}
	if files, ok, err := l.Batch(9); err != nil || !ok || names(files) != "part-9.parquet" {
		t.Errorf("a compacted batch: %v %v %v", files, ok, err)
	}
	if _, ok, err := l.Batch(12); err != nil || ok {
		t.Errorf("no batch: %v %v", ok, err)
	}
}

func TestOwner(t *testing.T) {
	l, out := newLog(t)
	o, ok, err := l.Owner()
	if err != nil || !ok || o.QueryID != "q1" || o.Epoch != 1 {
		t.Errorf("%+v %v %v", o, ok, err)
	}
	o.FirstBatch, o.FirstLog = 40, 3
	if o.LogID(41) != 4 || o.BatchID(4) != 41 {
		t.Errorf("mapping is wrong")
	}
	put(t, out, ".owner", "{")
	if _, _, err := l.Owner(); !errors.Is(err, sinklog.ErrCorrupt) {
		t.Errorf("damaged owner: %v", err)
	}
	if _, ok, err := sinklog.Open(vfs.OS(), out+"x").Owner(); ok || err != nil {
		t.Errorf("no directory: %v %v", ok, err)
	}
}

// Whatever a crash leaves of an Append, the log reads as before or as after it, and
// the batch can be appended then if it is not there.
func TestAppendCrash(t *testing.T) {
	for _, first := range []int64{0, 8, 9, 10} {
		for point := int64(1); ; point++ {
			if !appendCrash(t, first, point) {
				break
			}
		}
	}
}

// appendCrash reports false when the crash point lies behind the end.
func appendCrash(t *testing.T, first, point int64) bool {
	t.Helper()
	disk := vfs.NewCrashable(uint64(100*first + point))
	l := sinklog.Open(disk, "/out")
	if err := l.SetOwner(sinklog.Owner{QueryID: "q1"}); err != nil {
		t.Fatal(err)
	}
	write(t, l, 0, first-1, at(0))
	disk.CrashAt(disk.Ops() + point)
	err := l.Append(first, []sinklog.File{file("new.parquet", first)}, at(0))
	if err == nil && !disk.Crashed() {
		return false
	}
	l = sinklog.Open(disk.CrashClone(0.5), "/out")
	files, last, err := l.Files()
	if err != nil || int64(len(files)) != last+1 || last != first && last != first-1 {
		t.Fatalf("batch %d, crash at %d: last %d, %s, %v", first, point, last, names(files), err)
	}
	if err := l.Append(first, []sinklog.File{file("new.parquet", first)}, at(0)); err != nil && !(last == first && errors.Is(err, sinklog.ErrExists)) {
		t.Fatalf("batch %d, crash at %d: %v", first, point, err)
	}
	return true
}
