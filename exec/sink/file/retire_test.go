package file_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// clocked gives the sink a clock that stands a little after that of the files.
func clocked(o *out) *clock.Fake {
	c := clock.NewFake(time.Unix(1_700_001_000, 0))
	o.cfg.Clock = c
	return c
}

// upTo writes batches of one row each, from batch from on.
func (o *out) upTo(s sink.Sink, from, to int64) {
	o.t.Helper()
	for n := from; n <= to; n++ {
		o.write(s, n, rows(n+1))
	}
}

func (o *out) files() []sinklog.File {
	o.t.Helper()
	files, _, err := sinklog.Open(o.fs, "/w/out").Files()
	if err != nil {
		o.t.Fatal(err)
	}
	return files
}

func TestRetention(t *testing.T) {
	o := newOut(t, "retention", "1 hour", "removal_delay", "5 minutes")
	now := clocked(o)
	s := o.mustOpen()
	o.upTo(s, 0, 8)
	now.Advance(2 * time.Hour)
	o.upTo(s, 9, 9) // its file has the time of the file system: it is old as well, but stays with its batch
	o.want(o.logged(), "10,w10")
	if n := len(o.tree("")); n != 10 {
		t.Errorf("%d files: the log forgets them first", n)
	}
	now.Advance(4 * time.Minute)
	o.upTo(s, 10, 10)
	if n := len(o.tree("")); n != 11 {
		t.Errorf("%d files before the delay is over", n)
	}
	now.Advance(2 * time.Minute)
	s = o.mustOpen() // another process goes on with the list
	o.upTo(s, 11, 11)
	o.want(o.plain(), "10,w10 11,w11 12,w12")
	o.want(o.logged(), o.plain())
	o.want(o.marker(s), "true 11 true")
	now.Advance(time.Hour) // batches without rows: one file stays, for the schema
	for n := int64(12); n < 25; n++ {
		o.write(s, n)
	}
	o.want(o.logged(), "12,w12")
	o.want(o.marker(s), "true 24 true")
}

func TestSmallFilesAreMerged(t *testing.T) {
	o := newOut(t, "format", "json", "compact_files", "5", "removal_delay", "5 minutes")
	now := clocked(o)
	s := o.mustOpen()
	o.upTo(s, 0, 9)
	all := "1,w1 10,w10 2,w2 3,w3 4,w4 5,w5 6,w6 7,w7 8,w8 9,w9"
	o.want(o.logged(), all)
	files := o.files()
	if len(files) != 2 || len(files[1].Replaces) != 9 || files[1].Rows != 9 {
		t.Fatalf("%+v", files)
	}
	now.Advance(6 * time.Minute)
	o.upTo(s, 10, 10)
	o.want(o.plain(), o.logged())
	o.upTo(s, 11, 19) // what was merged is not merged again
	files = o.files()
	if len(files) != 3 || len(files[2].Replaces) != 10 {
		t.Fatalf("%+v", files)
	}
	s = o.mustOpen()
	o.want(o.marker(s), "true 19 true")
}

func TestTooFewSmallFiles(t *testing.T) {
	o := newOut(t, "format", "json", "compact_files", "5", "compact_below", "10 B")
	clocked(o)
	o.upTo(o.mustOpen(), 0, 9)
	if len(o.files()) != 10 {
		t.Error("files that are not small were merged")
	}
	o = newOut(t, "format", "json", "compact_files", "4", "partition_by", "who")
	clocked(o)
	o.upTo(o.mustOpen(), 0, 9)
	if len(o.files()) != 10 {
		t.Error("files of several directories were merged")
	}
}

func TestMergingNeedsAFormatThatReadsBack(t *testing.T) {
	_, err := newOut(t, "compact_files", "5").open()
	if err == nil || !strings.Contains(err.Error(), "files of the format lines are not merged") {
		t.Error(err)
	}
}

// The URIs of the log are those that readers use.
func TestLogRoot(t *testing.T) {
	o := newOut(t, "log_root", "s3a://bucket/a dir/", "partition_by", "who")
	s := o.mustOpen()
	o.upTo(s, 0, 0)
	text, err := vfs.ReadFile(o.fs, "/w/out/_spark_metadata/0")
	if err != nil || !strings.Contains(string(text), `"path":"s3a://bucket/a dir/who=w1/part-`) && !strings.Contains(string(text), `"path":"s3a://bucket/a%20dir/who=w1/part-`) {
		t.Errorf("%s %v", text, err)
	}
	o.want(o.logged(), "1")
	for _, bad := range []string{"out", "/out", "mailto:x", "s3://"} {
		if _, err := newOut(t, "log_root", bad).open(); err == nil {
			t.Errorf("log_root = %q was taken", bad)
		}
	}
}
