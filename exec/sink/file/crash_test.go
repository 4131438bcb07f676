package file_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// crashRun writes batches as the trigger loop does, on a machine that stops at chosen
// operations. What the loop would have in its state log survives every crash.
type crashRun struct {
	t       *testing.T
	o       *out
	disk    *vfs.Crashable
	parted  bool
	batches int64
	next    int64             // rows given out so far
	retire  bool              // files leave the log: retention
	logged  map[int64][]byte  // payloads in the state log
	rows    map[int64][]int64 // of the logged payloads
}

const crashBatches = 12 // beyond the first compacted log file

// merges and removes tell what the options of the sink do.
func (o *out) merges() bool  { _, ok := option.Find(o.cfg.Options, "compact_files"); return ok }
func (o *out) removes() bool { _, ok := option.Find(o.cfg.Options, "removal_delay"); return ok }

// boot opens the sink after a crash and checks what readers see.
func (c *crashRun) boot() (sink.Sink, int64, error) {
	c.o.fs = c.disk
	c.o.epoch++
	s, err := c.o.open()
	if err != nil {
		return nil, 0, err
	}
	m, err := s.Marker(context.Background())
	if err != nil {
		return nil, 0, err
	}
	if !c.disk.Crashed() {
		c.check(m)
	}
	return s, m.ID, nil
}

// check compares the rows that each kind of reader sees with those of the batches that
// the marker says are published.
func (c *crashRun) check(m sink.Marker) {
	c.t.Helper()
	var want []string
	for n := int64(0); n <= m.ID; n++ {
		for _, id := range c.rows[n] {
			want = append(want, c.text(id))
		}
	}
	slices.Sort(want)
	if c.retire {
		c.checkRest(m, want)
	} else {
		c.o.want(c.o.logged(), strings.Join(want, " "))
	}
	if m.OK && m.ID >= 0 && m.Digest != "" && m.Digest != sink.Digest(c.logged[m.ID]) {
		c.t.Errorf("the marker of batch %d has another digest than its payload", m.ID)
	}
	if c.retire || c.o.merges() {
		return // readers of the plain directory see files that have left the log
	}
	for _, row := range strings.Fields(c.o.plain()) { // whole files, no row twice
		i, found := slices.BinarySearch(want, row)
		if found {
			want = slices.Delete(want, i, i+1)
		}
	}
	if len(want) > 0 {
		c.t.Errorf("the plain directory lacks %v", want)
	}
}

// checkRest: what retention leaves has no row twice, none that was not published, and all
// rows of the batches since the log was compacted.
func (c *crashRun) checkRest(m sink.Marker, published []string) {
	c.t.Helper()
	have := strings.Fields(c.o.logged())
	for _, row := range have {
		i, found := slices.BinarySearch(published, row)
		if !found {
			c.t.Errorf("row %s is in the log twice, or was not published", row)
			continue
		}
		published = slices.Delete(published, i, i+1)
	}
	for n := max(0, (m.ID+1)/10*10-1); n <= m.ID; n++ {
		for _, id := range c.rows[n] {
			if slices.Contains(published, c.text(id)) {
				c.t.Errorf("row %d of batch %d is gone", id, n)
			}
		}
	}
}

// text is a row as it stands in a file.
func (c *crashRun) text(id int64) string {
	if c.parted {
		return strconv.FormatInt(id, 10) // who is in the path
	}
	return fmt.Sprintf("%d,w%d", id, id)
}

// run goes on from where the disk is until all batches are published or it crashes.
func (c *crashRun) run() error {
	s, last, err := c.boot()
	if err != nil {
		return err
	}
	if err := s.Discard(context.Background(), c.o.batch(int64(len(c.logged)))); err != nil {
		return err
	}
	for n := max(0, last); n < c.batches; n++ {
		if c.logged[n] == nil {
			if err := c.stage(s, n); err != nil {
				return err
			}
		}
		if err := s.Publish(context.Background(), c.o.batch(n), c.logged[n]); err != nil {
			return err
		}
	}
	return nil
}

// stage takes other rows whenever it is tried again: repeating the same batch would
// hide what a crash left behind.
func (c *crashRun) stage(s sink.Sink, n int64) error {
	ids := []int64{}
	for range 1 + (c.next+n)%4 {
		c.next++
		ids = append(ids, c.next)
	}
	if n == 5 {
		ids = nil
	}
	var batches []*vec.Batch
	if len(ids) > 0 {
		batches = append(batches, rows(ids...))
	}
	p, err := s.Stage(context.Background(), c.o.batch(n), feed(batches...))
	if err != nil {
		return err
	}
	c.logged[n], c.rows[n] = p, ids
	return nil
}

func newCrashRun(t *testing.T, seed uint64, opts ...string) *crashRun {
	t.Helper()
	o := newOut(t, opts...)
	_, parted := option.Find(o.cfg.Options, "partition_by")
	_, retire := option.Find(o.cfg.Options, "retention")
	batches := int64(crashBatches)
	if o.merges() || retire { // until what has left the log is removed
		batches = 23
		o.cfg.Clock = clock.NewFake(time.Unix(1_700_001_000, 0)) // that of the files
	}
	return &crashRun{t: t, o: o, parted: parted, retire: retire, batches: batches, disk: vfs.NewCrashable(seed), logged: map[int64][]byte{}, rows: map[int64][]int64{}}
}

// finish runs on, with a second crash after some operations, then without any.
func (c *crashRun) finish(survival float64, again int64) {
	c.t.Helper()
	for _, more := range []int64{again, 0} {
		c.disk = c.disk.CrashClone(survival)
		if more > 0 {
			c.disk.CrashAt(more)
		}
		err := c.run()
		if err == nil {
			break
		}
		if !errors.Is(err, vfs.ErrCrashed) {
			c.t.Fatal(err)
		}
	}
	if int64(len(c.logged)) != c.batches {
		c.t.Fatalf("%d batches", len(c.logged))
	}
	s, last, err := c.boot()
	if err != nil || last != c.batches-1 {
		c.t.Fatalf("last batch %d, %v", last, err)
	}
	if err := s.Close(); err != nil {
		c.t.Fatal(err)
	}
	if !c.o.merges() || c.o.removes() {
		c.o.want(c.o.plain(), c.o.logged())
	}
}

// Every operation of the file system is a crash point, at three levels of luck, and
// the recovery crashes again somewhere.
func TestCrashAtEveryOperation(t *testing.T) {
	for _, opts := range [][]string{nil, {"partition_by", "who", "max_rows_per_file", "1"}} {
		ops := int64(0)
		for point := int64(1); point == 1 || point <= ops; point++ {
			for i, survival := range []float64{0, 0.5, 1} {
				if opts != nil && (point+int64(i))%3 != 0 {
					continue // partitions multiply the operations, not the kinds of them
				}
				c := newCrashRun(t, uint64(10*point)+uint64(i), opts...)
				if point == 1 {
					ops = c.count(opts)
				}
				c.disk.CrashAt(point)
				if err := c.run(); !errors.Is(err, vfs.ErrCrashed) {
					t.Fatalf("point %d of %d: %v", point, ops, err)
				}
				c.finish(survival, 1+point%37)
				if t.Failed() {
					t.Fatalf("crash at %d of %d, survival %v, %v", point, ops, survival, opts)
				}
			}
		}
	}
}

// Small files are merged and old ones leave, with a crash at operations all over the run.
func TestCrashWhileFilesLeave(t *testing.T) {
	for _, opts := range leaving {
		if err := crashAll(t, 23, opts...); err != "" {
			t.Fatal(err)
		}
	}
}

var leaving = [][]string{
	{"format", "json", "compact_files", "3", "removal_delay", "0"},
	{"retention", "14 minutes", "removal_delay", "0"},
	{"format", "json", "compact_files", "2", "retention", "15 minutes", "removal_delay", "0"},
}

// crashAll crashes at every few operations; what readers see is checked after each.
func crashAll(t *testing.T, step int64, opts ...string) string {
	t.Helper()
	ops := newCrashRun(t, 1, opts...).count(opts)
	for point := int64(1); point <= ops; point += step {
		c := newCrashRun(t, uint64(point), opts...)
		c.disk.CrashAt(point)
		if err := c.run(); !errors.Is(err, vfs.ErrCrashed) {
			return fmt.Sprintf("point %d of %d: %v", point, ops, err)
		}
		c.finish([]float64{0, 0.5, 1}[point%3], 1+point%37)
		if t.Failed() {
			return fmt.Sprintf("crash at %d of %d, %v", point, ops, opts)
		}
	}
	return ""
}

// count is how many operations a run without a crash takes.
func (c *crashRun) count(opts []string) int64 {
	c.t.Helper()
	whole := newCrashRun(c.t, 1, opts...)
	if err := whole.run(); err != nil {
		c.t.Fatal(err)
	}
	return whole.disk.Ops()
}

// A process that is killed leaves all its writes, but they are not durable yet; the
// next one may build on them and lose the power.
func TestKillThenPowerLoss(t *testing.T) {
	ops := newCrashRun(t, 1).count(nil)
	for point := int64(1); point <= ops; point += 3 {
		c := newCrashRun(t, uint64(point))
		c.disk.CrashAt(point)
		if err := c.run(); !errors.Is(err, vfs.ErrCrashed) {
			t.Fatal(err)
		}
		c.disk = c.disk.KillClone()
		c.disk.CrashAt(point%29 + 1)
		if err := c.run(); err != nil && !errors.Is(err, vfs.ErrCrashed) {
			t.Fatal(err)
		}
		c.finish(0.5, 0)
		if t.Failed() {
			t.Fatalf("kill at %d of %d", point, ops)
		}
	}
}
