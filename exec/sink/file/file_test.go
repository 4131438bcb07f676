package file_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/file"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

func TestBatchesBecomeFiles(t *testing.T) {
	o := newOut(t)
	s := o.mustOpen()
	o.want(o.marker(s), "false -1 false")
	p := o.stage(s, 0, rows(1, 2))
	o.want(o.plain(), "")
	o.want(string(p), `{"batch":0,"files":[{"staged":"_staging/f67b589e-31f6-4ace-b1ab-365c155acca3/0-0.staged",`+
		`"name":"part-00000-f67b589e-0-c000.txt","size":11,"rows":2}]}`)
	o.publish(s, 0, p)
	o.write(s, 1, rows(3), rows(4, 0))
	o.want(strings.Join(o.tree(""), " "), "part-00000-f67b589e-0-c000.txt part-00000-f67b589e-1-c000.txt")
	o.want(o.text("part-00000-f67b589e-1-c000.txt"), "3,w3 4,w4 0,<nil> .")
	o.want(o.logged(), o.plain())
	o.want(o.marker(s), "true 1 true")
	if m, _ := s.Marker(context.Background()); m.Digest == sink.Digest(p) {
		t.Error("the digest is that of another batch")
	}
	o.want(s.Description(), "FileSink[out]")
	entries, err := o.fs.ReadDir("/w/out/_staging/f67b589e-31f6-4ace-b1ab-365c155acca3")
	if err != nil || len(entries) != 0 {
		t.Errorf("staging directory: %v %v", entries, err)
	}
}

// The first batch has a file even without rows, a later one has none; both have an
// entry in the log and a digest.
func TestEmptyBatches(t *testing.T) {
	o := newOut(t)
	s := o.mustOpen()
	o.write(s, 0)
	o.want(strings.Join(o.tree(""), " "), "part-00000-f67b589e-0-c000.txt")
	p := o.write(s, 1)
	o.want(string(p), `{"batch":1,"files":[]}`)
	o.want(strings.Join(o.tree(""), " "), "part-00000-f67b589e-0-c000.txt")
	m, err := s.Marker(context.Background())
	if err != nil || m.ID != 1 || m.Digest != sink.Digest(p) {
		t.Errorf("%+v %v", m, err)
	}
	parted := newOut(t, "partition_by", "who")
	parted.write(parted.mustOpen(), 0)
	o.want(strings.Join(parted.tree(""), " "), "who=__HIVE_DEFAULT_PARTITION__/part-00000-f67b589e-0-c000.txt")
}

func TestRolling(t *testing.T) {
	o := newOut(t, "maxRecordsPerFile", "2")
	s := o.mustOpen()
	o.write(s, 0, rows(1, 2, 3), rows(4, 5))
	var texts []string
	for _, name := range o.tree("") {
		texts = append(texts, o.text(name))
	}
	o.want(strings.Join(texts, "| "), "1,w1 2,w2 .| 3,w3 4,w4 .| 5,w5 .")
	files, _, err := sinklog.Open(o.fs, "/w/out").Files()
	if err != nil || len(files) != 3 || files[2].Rows != 1 || files[0].Size != 11 {
		t.Errorf("%+v %v", files, err)
	}

	o = newOut(t, "max_file_bytes", "6")
	o.write(o.mustOpen(), 0, rows(1), rows(2), rows(3))
	if got := len(o.tree("")); got != 2 {
		t.Errorf("%d files", got)
	}
}

func TestPartitions(t *testing.T) {
	o := newOut(t, "partition_by", "day, who")
	o.cfg.Columns = []types.Column{{Name: "day", Type: types.Of(types.Date)}, {Name: "id", Type: types.Of(types.Int64)},
		{Name: "who", Type: types.Of(types.String)}}
	b := vec.NewBatch(vec.FromAny(types.Of(types.Date), 0, 1, 0, nil), vec.FromAny(types.Of(types.Int64), 1, 2, 3, 4),
		vec.FromAny(types.Of(types.String), "a/b", "", "a/b", "é%"))
	o.write(o.mustOpen(), 0, b, b)
	o.want(strings.Join(o.tree(""), " "), "day=1970-01-01/who=a%2Fb/part-00000-f67b589e-0-c000.txt "+
		"day=1970-01-02/who=__HIVE_DEFAULT_PARTITION__/part-00001-f67b589e-0-c000.txt "+
		"day=__HIVE_DEFAULT_PARTITION__/who=é%25/part-00002-f67b589e-0-c000.txt")
	o.want(o.text("day=1970-01-01/who=a%2Fb/part-00000-f67b589e-0-c000.txt"), "1 3 1 3 .")
	o.want(o.logged(), "1 1 2 2 3 3 4 4")
}

func TestPartitionTexts(t *testing.T) {
	for _, c := range []struct {
		t    types.Type
		x    any
		want string
	}{
		{types.Of(types.Bool), true, "true"}, {types.Of(types.Int8), -5, "-5"}, {types.DecimalOf(10, 2), 1230, "12.30"},
		{types.DecimalOf(30, 2), types.Int128From(-5), "-0.05"}, {types.Of(types.Timestamp), 3600e6, "1970-01-01 01%3A00%3A00"},
		{types.Of(types.TimestampNTZ), 500000, "1970-01-01 00%3A00%3A00.5"}, {types.Of(types.String), "a\nb=c", "a%0Ab%3Dc"},
	} {
		o := newOut(t, "partition_by", "p")
		o.cfg.Columns = []types.Column{{Name: "p", Type: c.t}, {Name: "id", Type: types.Of(types.Int64)}}
		if f, ok := c.x.(float64); ok {
			c.x = int64(f)
		}
		o.write(o.mustOpen(), 0, vec.NewBatch(vec.NewConst(c.t, c.x, 1), vec.FromInts(types.Of(types.Int64), []int64{1})))
		o.want(o.tree("")[0], "p="+c.want+"/part-00000-f67b589e-0-c000.txt")
	}
}

// More partitions than files may be open.
func TestManyPartitions(t *testing.T) {
	o := newOut(t, "partition_by", "who")
	s := o.mustOpen()
	var ids []int64
	for i := range int64(200) {
		ids = append(ids, i+1)
	}
	o.write(s, 0, rows(ids...), rows(ids...))
	if got := len(strings.Fields(o.logged())); got != 400 {
		t.Errorf("%d rows", got)
	}
	o.want(o.logged(), o.plain())
}

func TestWeights(t *testing.T) {
	o := newOut(t)
	s := o.mustOpen()
	b := rows(1, 2, 3)
	b.W = []int64{2, 0, 1}
	o.write(s, 0, b)
	o.want(o.plain(), "1,w1 1,w1 3,w3")
	b.W = []int64{1, -1, 1}
	_, err := s.Stage(context.Background(), o.batch(1), feed(b))
	o.wantErr(err, `sink "result": a row was taken back, which files cannot do; the query is not append-only`)
	if entries, err := o.fs.ReadDir("/w/out/_staging/f67b589e-31f6-4ace-b1ab-365c155acca3"); err != nil || len(entries) != 0 {
		t.Errorf("a failed batch left %v %v", entries, err)
	}
}

func TestRepublishDoesNothing(t *testing.T) {
	o := newOut(t)
	s := o.mustOpen()
	p0 := o.write(s, 0, rows(1))
	p1 := o.write(s, 1, rows(2))
	for _, epoch := range []int64{1, 2} {
		o.epoch = epoch
		s = o.mustOpen()
		o.publish(s, 1, p1)
		o.publish(s, 0, p0)
	}
	o.want(o.plain(), "1,w1 2,w2")
	o.want(o.logged(), "1,w1 2,w2")
	o.epoch = 1
	err := o.mustOpen().Publish(context.Background(), o.batch(2), []byte(`{"batch":2,"files":[]}`))
	o.wantErr(err, `sink "result": directory out was taken over by a newer run of the query (epoch 2, this is 1)`)
}

func TestDiscard(t *testing.T) {
	o := newOut(t)
	s := o.mustOpen()
	logged := o.stage(s, 0, rows(1))
	o.stage(s, 1, rows(2))
	s = o.mustOpen()
	if err := s.Discard(context.Background(), o.batch(1)); err != nil {
		t.Fatal(err)
	}
	if err := newOut(t).mustOpen().Discard(context.Background(), o.batch(0)); err != nil {
		t.Fatal(err)
	}
	o.publish(s, 0, logged)
	o.write(s, 1, rows(3))
	o.want(o.plain(), "1,w1 3,w3")
}

func TestForeignDirectory(t *testing.T) {
	o := newOut(t)
	o.write(o.mustOpen(), 0, rows(1))
	o.write(o.mustOpen(), 1, rows(2))
	first := o.cfg
	o.cfg.QueryID, o.cfg.Query = "aaaaaaaa-0000", "other"
	const text = `sink "result": directory out belongs to query "counts" (id f67b589e-31f6-4ace-b1ab-365c155acca3), not to "other" (id aaaaaaaa-0000); ` +
		`choose another directory, or set adopt_sink = true to go on after its last batch`
	s := o.mustOpen()
	o.want(o.marker(s), text)
	err := s.Publish(context.Background(), o.batch(0), []byte(`{"batch":0,"files":[]}`))
	o.wantErr(err, text)

	o.cfg.QueryID, o.cfg.Query = "bbbbbbbb-0000", "counts"
	o.want(o.marker(o.mustOpen()), `sink "result": directory out was written with another checkpoint of query "counts" (id f67b589e-31f6-4ace-b1ab-365c155acca3, not bbbbbbbb-0000); `+
		`restore that checkpoint, empty the directory to begin anew, or set adopt_sink = true to add rows to those that are there`)
	o.cfg.QueryID, o.cfg.Query = "aaaaaaaa-0000", "other"

	// Taken over: the log goes on without a gap, and the new query keeps its numbers.
	o.cfg.Adopt = true
	s = o.mustOpen()
	o.want(o.marker(s), "false -1 false")
	o.write(s, 0, rows(3))
	o.want(o.marker(s), "true 0 true")
	o.write(s, 1, rows(4))
	o.cfg.Adopt = false
	s = o.mustOpen()
	o.want(o.marker(s), "true 1 true")
	o.write(s, 2, rows(5))
	o.want(o.logged(), "1,w1 2,w2 3,w3 4,w4 5,w5")
	o.cfg = first
	if got := o.marker(o.mustOpen()); !strings.Contains(got, `belongs to query "other"`) {
		t.Error(got)
	}
}

// A query that had run before goes to an empty directory: the log begins at 0.
func TestMovedSink(t *testing.T) {
	o := newOut(t)
	o.cfg.Adopt = true
	s := o.mustOpen()
	o.write(s, 41, rows(1))
	o.write(s, 42, rows(2))
	o.want(o.marker(s), "true 42 true")
	if _, err := o.fs.Stat("/w/out/_spark_metadata/1"); err != nil {
		t.Error(err)
	}
}

// An older checkpoint restored over a newer sink must neither drop rows nor replace
// published files.
func TestOlderCheckpoint(t *testing.T) {
	o := newOut(t)
	s := o.mustOpen()
	o.write(s, 0, rows(1))
	o.write(s, 1, rows(2))
	o.epoch = 5
	s = o.mustOpen()
	p := o.stage(s, 1, rows(9))
	err := s.Publish(context.Background(), o.batch(1), p)
	o.wantErr(err, `sink "result": directory out has another batch 1 than this one: an older checkpoint was restored; `+
		`use the checkpoint that wrote it, or set adopt_sink = true to go on after its last batch`)
	o.cfg.Adopt = true
	s = o.mustOpen()
	o.publish(s, 1, p)
	o.publish(s, 1, p)
	o.cfg.Adopt = false
	s = o.mustOpen()
	o.want(o.marker(s), "true 1 true")
	o.write(s, 2, rows(10))
	o.want(o.logged(), "1,w1 10,w10 2,w2 9,w9")
	o.want(o.plain(), "1,w1 10,w10 2,w2 9,w9")
	err = s.Publish(context.Background(), o.batch(9), []byte(`{"batch":9,"files":[]}`))
	o.wantErr(err, `sink "result": batch 9 cannot follow batch 2, the last one in /w/out/_spark_metadata`)
}

func (o *out) put(name, text string) {
	o.t.Helper()
	if err := vfs.MkdirAllSync(o.fs, "/w/out/_spark_metadata"); err != nil {
		o.t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(o.fs, "/w/out/"+name, []byte(text), true); err != nil {
		o.t.Fatal(err)
	}
}

func TestStrangers(t *testing.T) {
	o := newOut(t)
	o.put("_SUCCESS", "")
	o.want(o.marker(o.mustOpen()), "false -1 false")
	o.put("old.parquet", "x")
	o.want(o.marker(o.mustOpen()), `sink "result": directory out holds files that no query wrote (old.parquet); choose an empty directory, or set adopt_sink = true to write beside them`)
	o.cfg.Adopt = true
	o.want(o.marker(o.mustOpen()), "false -1 false")

	o = newOut(t)
	o.put("_spark_metadata/0", "v1\n"+`{"path":"file:///w/out/a.txt","size":1,"isDir":false,"modificationTime":1,"action":"add"}`)
	o.put("a.txt", ".")
	const unowned = `sink "result": directory out has a log of batches (_spark_metadata) that names no query as its owner, as Spark writes it; ` +
		`choose another directory, or set adopt_sink = true to go on after its last batch`
	s := o.mustOpen()
	o.want(o.marker(s), unowned)
	o.wantErr(s.Publish(context.Background(), o.batch(0), []byte(`{"batch":0,"files":[]}`)), unowned)
	o.cfg.Adopt = true
	s = o.mustOpen()
	o.write(s, 0, rows(7))
	o.want(o.logged(), "7,w7")
	o.want(o.marker(s), "true 0 true")
}

func TestBadPayloads(t *testing.T) {
	o := newOut(t)
	s := o.mustOpen()
	p := o.stage(s, 0, rows(1))
	for text, want := range map[string]string{
		`{"batch":1,"files":[]}`: `payload of batch 1 was given for batch 0`,
		`{"batch":0,`:            `payload of batch 0: unexpected end of JSON input`,
		`{"batch":0,"files":[{"staged":"_staging/x","name":"../y"}]}`:         `payload of batch 0: file "_staging/x" → "../y" is not in the output directory`,
		`{"batch":0,"files":[{"staged":"_staging/../../x","name":"y"}]}`:      `payload of batch 0: file "_staging/../../x" → "y" is not in the output directory`,
		`{"batch":0,"files":[{"staged":"_staging/q/0-7.staged","name":"y"}]}`: `file _staging/q/0-7.staged, staged for batch 0, is gone; the batch must be computed again (RESUME QUERY … RECOMPUTE)`,
	} {
		o.wantErr(s.Publish(context.Background(), o.batch(0), []byte(text)), `sink "result": `+want)
	}
	o.publish(s, 0, p)
	if err := vfs.WriteFileAtomic(o.fs, "/w/out/part-00000-f67b589e-1-c000.txt", []byte("torn"), true); err != nil {
		t.Fatal(err)
	}
	o.wantErr(s.Publish(context.Background(), o.batch(1), []byte(`{"batch":1,"files":[{"staged":"_staging/x/0","name":"part-00000-f67b589e-1-c000.txt","size":9}]}`)),
		`sink "result": file part-00000-f67b589e-1-c000.txt of batch 1 has 4 bytes, expected 9`)
}

func TestDamagedLog(t *testing.T) {
	o := newOut(t)
	o.write(o.mustOpen(), 0, rows(1))
	o.put("_spark_metadata/.owner", "{")
	if _, err := o.mustOpen().Marker(context.Background()); !errors.Is(err, sinklog.ErrCorrupt) {
		t.Error(err)
	}
}

func TestFullAndReadOnlyDisk(t *testing.T) {
	for kind, errno := range map[vfs.OpKind]error{vfs.OpWrite: syscall.ENOSPC, vfs.OpCreate: syscall.EROFS, vfs.OpSync: syscall.EIO} {
		o := newOut(t)
		disk := vfs.NewCrashable(3)
		o.fs = disk
		s := o.mustOpen()
		o.write(s, 0, rows(1))
		disk.OnOp(func(op vfs.Op) error {
			if op.Kind == kind {
				return errno
			}
			return nil
		})
		_, err := s.Stage(context.Background(), o.batch(1), feed(rows(2)))
		if !errors.Is(err, errno) || !strings.HasPrefix(err.Error(), `sink "result": `) {
			t.Errorf("%s: %v", kind, err)
		}
		disk.OnOp(nil)
		o.write(s, 1, rows(2)) // space returned
		o.want(o.plain(), "1,w1 2,w2")
	}
}

func TestDirectoryThatCannotBeMade(t *testing.T) {
	o := newOut(t)
	disk := vfs.NewCrashable(3)
	o.fs = disk
	disk.OnOp(func(op vfs.Op) error {
		if op.Kind == vfs.OpMkdir {
			return fs.ErrPermission
		}
		return nil
	})
	_, err := o.mustOpen().Stage(context.Background(), o.batch(0), feed(rows(1)))
	if err == nil || !strings.HasPrefix(err.Error(), `sink "result": directory out: `) || !vfs.IsReadOnly(err) {
		t.Error(err)
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range [][3]string{
		{"path", "", `error SQL4003: option "path" is "", expected some text`},
		{"path", "out/*.parquet", `sink "result": path out/*.parquet has wildcards; an output directory has one name`},
		{"path", "http://b/x", `sink "result": path http://b/x: files cannot be written to a web address; name a directory, or s3://bucket/…`},
		{"path", "file://host/x", `sink "result": "file://host/x" is not a file URI: write file:///path`},
		{"path", "afile", `sink "result": afile is a file, not a directory`},
		{"format", "linse", `error SQL4003: unknown format "linse" (hint: did you mean "lines"?)`},
		{"format", "readonly", `error SQL4003: the format readonly cannot be written`},
		{"partition_by", "wo", `error SQL4003: the output has no column "wo" to partition by (hint: did you mean "who"?)`},
		{"partition_by", "who,who", `error SQL4003: partition_by names the column "who" twice`},
		{"partition_by", "who,id", `error SQL4003: partition_by leaves no column for the files`},
		{"partition_by", "f", `error SQL4003: a DOUBLE column cannot be partitioned by: "f"`},
		{"max_file_bytes", "0", `error SQL4003: option "max_file_bytes" is "0", expected a size of at least 1`},
		{"compression", "gzpi", `error SQL4003: option "compression" is "gzpi", expected one of none, gzip (hint: did you mean "gzip"?)`},
	} {
		o := newOut(t)
		if c[1] == "f" {
			o.cfg.Columns = append(o.cfg.Columns, types.Column{Name: "f", Type: types.Of(types.Float64)})
		}
		o.cfg.Options = append([]option.Value{{Name: c[0], Text: c[1]}}, without(o.cfg.Options, c[0])...)
		if err := vfs.MkdirAllSync(o.fs, "/w"); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(o.fs, "/w/afile", nil, true); err != nil {
			t.Fatal(err)
		}
		_, err := o.open()
		o.wantErr(err, c[2])
	}
}

func without(list []option.Value, name string) []option.Value {
	var out []option.Value
	for _, v := range list {
		if v.Name != name {
			out = append(out, v)
		}
	}
	return out
}

func TestEveryModeIsTakenOrRefused(t *testing.T) {
	c := file.Connector(nil)
	for m := sink.Append; m <= sink.Changelog; m++ {
		if (c.Modes[m] == "") == (c.Refused[m] == "") {
			t.Errorf("mode %s is neither taken nor refused, or both", m)
		}
	}
}

// A time that the wall clock shows twice names two directories.
func TestPartitionsOfAmbiguousTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	first := time.Date(2024, 10, 27, 0, 30, 0, 0, time.UTC).UnixMicro()
	o := newOut(t, "partition_by", "p")
	o.cfg.Zone = berlin
	o.cfg.Columns = []types.Column{{Name: "p", Type: types.Of(types.Timestamp)}, {Name: "id", Type: types.Of(types.Int64)}}
	o.write(o.mustOpen(), 0, vec.NewBatch(vec.FromInts(types.Of(types.Timestamp), []int64{first, first + types.MicrosPerHour}),
		vec.FromInts(types.Of(types.Int64), []int64{1, 2})))
	o.want(strings.Join(o.tree(""), " "), "p=2024-10-27 01%3A30%3A00Z/part-00001-f67b589e-0-c000.txt "+
		"p=2024-10-27 02%3A30%3A00/part-00000-f67b589e-0-c000.txt")
}
