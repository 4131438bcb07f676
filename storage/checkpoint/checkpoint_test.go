package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, fs vfs.FS, opt Options) *Checkpoint {
	t.Helper()
	c, err := Open(fs, "/c", opt)
	must(t, err)
	return c
}

func line(s string, args ...any) [][]byte { return [][]byte{fmt.Appendf(nil, s, args...)} }

// run writes n batches, each with one entry of the source.
func run(t testing.TB, c *Checkpoint, src *SourceLog, from, to int64) {
	t.Helper()
	for n := from; n < to; n++ {
		p := c.WriteOffsets(n, line(`{"end":%d}`, n), Taken{src, line(`{"path":"f%d"}`, n)})
		must(t, p.Wait(context.Background()))
		c.WriteCommit(n, line(`{"nextBatchWatermarkMs":%d}`, n))
	}
	must(t, c.Sync())
}

func source(t testing.TB, c *Checkpoint, opt SourceOptions) *SourceLog {
	t.Helper()
	src, err := c.Source("clicks", opt)
	must(t, err)
	return src
}

func TestFirstRunAndRestart(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{})
	if !c.Fresh() || c.Epoch() != 1 || c.LastOffsets() != NoBatch || c.LastCommit() != NoBatch || len(c.ID()) != 36 {
		t.Fatalf("new checkpoint: fresh %v epoch %d id %q", c.Fresh(), c.Epoch(), c.ID())
	}
	run(t, c, source(t, c, SourceOptions{}), 0, 3)
	must(t, c.Close())

	again := open(t, fs, Options{})
	if again.Fresh() || again.Epoch() != 2 || again.ID() != c.ID() || again.LastOffsets() != 2 || again.LastCommit() != 2 {
		t.Fatalf("restart: fresh %v epoch %d id %q batch %d", again.Fresh(), again.Epoch(), again.ID(), again.LastOffsets())
	}
	lines, err := again.Offsets(1)
	if err != nil || len(lines) != 1 || string(lines[0]) != `{"end":1}` {
		t.Fatalf("offsets 1: %q %v", lines, err)
	}
	lines, err = again.Commit(2)
	if err != nil || len(lines) != 1 || string(lines[0]) != `{"nextBatchWatermarkMs":2}` {
		t.Fatalf("commit 2: %q %v", lines, err)
	}
	must(t, again.Close())
}

// The files are for people too.
func TestFilesAreReadable(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{Rand: bytes.NewReader(make([]byte, 16))})
	run(t, c, source(t, c, SourceOptions{}), 0, 1)
	must(t, c.Close())
	for name, want := range map[string]string{
		"/c/metadata":         `{"id":"00000000-0000-4000-8000-000000000000","version":1}`,
		"/c/offsets/0":        "v1\n{\"batch\":0,\"oldest\":0,\"sources\":[\"clicks\"]}\n{\"end\":0}\n{\"crc32c\":",
		"/c/commits/0":        "v1\n{\"nextBatchWatermarkMs\":0}\n{\"crc32c\":",
		"/c/sources/clicks/0": "v1\n{\"path\":\"f0\"}\n{\"crc32c\":",
		"/c/epoch":            "v1\n{\"epoch\":1}\n{\"crc32c\":",
	} {
		data, err := vfs.ReadFile(fs, name)
		must(t, err)
		if !strings.HasPrefix(string(data), want) {
			t.Errorf("%s is\n%s\nwant %s", name, data, want)
		}
	}
}

func TestSecondProcessIsLockedOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	c, err := Open(vfs.OS(), dir, Options{})
	must(t, err)
	_, err = Open(vfs.OS(), dir, Options{})
	want := fmt.Sprintf("checkpoint (%s): another process runs this query (process %d); stop that one, or give this query a checkpoint of its own", dir, os.Getpid())
	if !errors.Is(err, ErrLocked) || err.Error() != want {
		t.Fatalf("second open: %v", err)
	}
	r, err := Open(vfs.OS(), dir, Options{ReadOnly: true})
	must(t, err)
	must(t, r.Close())
	must(t, c.Close())
	c, err = Open(vfs.OS(), dir, Options{})
	must(t, err)
	must(t, c.Close())
}

func TestWritesGoOnBeside(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{Manual: true})
	p := c.WriteOffsets(0, line(`{}`))
	select {
	case <-p.Done():
		t.Fatal("durable before anything was written")
	default:
	}
	if _, err := fs.Stat("/c/offsets/0"); err == nil || c.LastOffsets() != NoBatch {
		t.Fatal("written before its turn")
	}
	must(t, p.Wait(context.Background()))
	commit := c.WriteCommit(0, line(`{}`))
	next := c.WriteOffsets(1, line(`{}`))
	before := fs.Ops()
	must(t, next.Wait(context.Background()))
	select {
	case <-commit.Done():
	default:
		t.Fatal("the commit did not go out with the next offsets")
	}
	if n := fs.Ops() - before; n != 10 {
		t.Fatalf("%d operations for two files", n)
	}
	must(t, c.Close())
}

func TestOrderIsKept(t *testing.T) {
	c := open(t, vfs.NewCrashable(1), Options{})
	ctx := context.Background()
	if err := c.WriteCommit(0, nil).Wait(ctx); err == nil {
		t.Error("a commit without offsets was accepted")
	}
	must(t, c.WriteOffsets(4, nil).Wait(ctx))
	for _, n := range []int64{3, 4, 6} {
		if err := c.WriteOffsets(n, nil).Wait(ctx); err == nil {
			t.Errorf("offsets %d after 4 were accepted", n)
		}
	}
	if err := c.WriteCommit(5, nil).Wait(ctx); err == nil {
		t.Error("a commit ahead of its offsets was accepted")
	}
	must(t, c.WriteCommit(4, nil).Wait(ctx))
	if err := c.WriteCommit(4, nil).Wait(ctx); err == nil {
		t.Error("a second commit of a batch was accepted")
	}
	must(t, c.Close())
	if err := c.WriteOffsets(5, nil).Wait(ctx); err == nil {
		t.Error("a write after Close was accepted")
	}
}

// Rule R10.
func TestPurgeKeepsTheLast(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{Keep: 3})
	src := source(t, c, SourceOptions{})
	run(t, c, src, 0, 25)
	names := func(dir string) string {
		list, err := fs.ReadDir(dir)
		must(t, err)
		var s []string
		for _, e := range list {
			s = append(s, e.Name())
		}
		return strings.Join(s, " ")
	}
	if got := names("/c/offsets") + " | " + names("/c/commits"); got != "22 23 24 | 22 23 24" {
		t.Fatalf("kept %s", got)
	}
	if got := names("/c/sources/clicks"); got != "19.compact 20 21 22 23 24 9.compact" {
		t.Fatalf("source log %s", got)
	}
	must(t, c.Close())
	c = open(t, fs, Options{Keep: 100}) // keeping more does not make old ones missing
	if c.Oldest() != 22 || c.LastOffsets() != 24 {
		t.Fatalf("batches %d to %d", c.Oldest(), c.LastOffsets())
	}
	must(t, c.Close())
}

func TestSourceLogKeepsEveryEntry(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{Keep: 2})
	src := source(t, c, SourceOptions{})
	run(t, c, src, 0, 123)
	check := func(src *SourceLog) {
		t.Helper()
		n := int64(0)
		must(t, src.Entries(func(batch int64, l []byte) error {
			if batch != n || string(l) != fmt.Sprintf(`{"path":"f%d"}`, n) {
				return fmt.Errorf("batch %d has %s, want that of %d", batch, l, n)
			}
			n++
			return nil
		}))
		if n != 123 {
			t.Fatalf("%d entries", n)
		}
		one, err := src.Batch(57)
		if err != nil || len(one) != 1 || string(one[0]) != `{"path":"f57"}` {
			t.Fatalf("batch 57: %q %v", one, err)
		}
	}
	check(src)
	list, err := fs.ReadDir("/c/sources/clicks")
	if err != nil || len(list) != 6 { // 99, 109 and 119 compacted, 120 to 122
		t.Fatalf("files %v %v", list, err)
	}
	must(t, c.Close())
	c = open(t, fs, Options{})
	check(source(t, c, SourceOptions{}))
	must(t, c.Close())
}

func TestSourceLogForgetsWhatIsOfNoUse(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{})
	src := source(t, c, SourceOptions{Keep: func(batch int64, _ []byte) bool { return batch >= 5 }})
	run(t, c, src, 0, 10)
	var got []int64
	must(t, src.Entries(func(batch int64, _ []byte) error { got = append(got, batch); return nil }))
	if fmt.Sprint(got) != "[5 6 7 8 9]" {
		t.Fatalf("batches %v", got)
	}
	must(t, c.Close())
}

func TestTransientEntriesGoWithTheirBatch(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{Keep: 2})
	run(t, c, source(t, c, SourceOptions{Transient: true}), 0, 15)
	list, err := fs.ReadDir("/c/sources/clicks")
	if err != nil || len(list) != 2 || list[0].Name() != "13" {
		t.Fatalf("files %v %v", list, err)
	}
	must(t, c.Close())
}

func TestSourceNamesAreEscaped(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{})
	src, err := c.Source("../näme", SourceOptions{})
	must(t, err)
	must(t, c.WriteOffsets(0, nil, Taken{src, line(`{}`)}).Wait(context.Background()))
	if _, err := fs.Stat("/c/sources/%2e%2e%2fn%c3%a4me/0"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Source("../näme", SourceOptions{}); err == nil {
		t.Fatal("a source was declared twice")
	}
	must(t, c.Close())
	must(t, open(t, fs, Options{}).Close())
}

// Entries of a batch whose offsets did not survive must not turn up in the
// batch that gets its number.
func TestStaleSourceEntriesAreRemoved(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{Manual: true})
	src := source(t, c, SourceOptions{})
	run(t, c, src, 0, 2)
	c.WriteOffsets(2, line(`{}`), Taken{src, line(`{"path":"stale"}`)})
	fs.OnOp(func(op vfs.Op) error {
		if op.Kind == vfs.OpRename && op.Path == "/c/offsets/2" {
			return errors.New("stopped here")
		}
		return nil
	})
	if err := c.Sync(); err == nil {
		t.Fatal("no failure")
	}
	fs = fs.CrashClone(1)
	if _, err := fs.Stat("/c/sources/clicks/2"); err != nil {
		t.Fatal("the test needs the stale file")
	}
	c = open(t, fs, Options{})
	src = source(t, c, SourceOptions{})
	must(t, c.WriteOffsets(2, line(`{}`)).Wait(context.Background()))
	must(t, src.Entries(func(batch int64, l []byte) error {
		if batch == 2 {
			return fmt.Errorf("batch 2 has %s", l)
		}
		return nil
	}))
	must(t, c.Close())
}

func TestPlans(t *testing.T) {
	c := open(t, vfs.NewCrashable(1), Options{})
	if k, _, err := c.LatestPlan(); k != NoBatch || err != nil {
		t.Fatalf("no plan yet: %d %v", k, err)
	}
	for want := range int64(12) {
		k, err := c.SavePlan(line(`{"plan":%d}`, want)...)
		if err != nil || k != want {
			t.Fatalf("plan %d: %d %v", want, k, err)
		}
	}
	k, lines, err := c.LatestPlan()
	if err != nil || k != 11 || string(lines[0]) != `{"plan":11}` {
		t.Fatalf("latest plan: %d %q %v", k, lines, err)
	}
	must(t, c.Close())
}

func TestFailureIsSticky(t *testing.T) {
	fs := vfs.NewCrashable(1)
	c := open(t, fs, Options{})
	fs.OnOp(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync {
			return syscall.EIO
		}
		return nil
	})
	ctx := context.Background()
	if err := c.WriteOffsets(0, nil).Wait(ctx); !errors.Is(err, syscall.EIO) {
		t.Fatalf("failed sync: %v", err)
	}
	fs.OnOp(nil)
	if err := c.WriteOffsets(0, nil).Wait(ctx); !errors.Is(err, ErrFailed) || !errors.Is(err, syscall.EIO) {
		t.Fatalf("after it: %v", err)
	}
	if err := c.Close(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("close: %v", err)
	}
}
