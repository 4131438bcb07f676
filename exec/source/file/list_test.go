package file_test

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// counting counts what listing costs.
type counting struct {
	vfs.FS
	lists, stats int
}

func (c *counting) ReadDir(dir string) ([]fs.DirEntry, error) {
	c.lists++
	return c.FS.ReadDir(dir)
}

func (c *counting) Stat(name string) (fs.FileInfo, error) {
	c.stats++
	return c.FS.Stat(name)
}

// In the steady state a trigger does not list directories that did not change, and
// looks at no file that it took long ago.
func TestListingCost(t *testing.T) {
	l := newLand(t)
	cols := append(l.cols, column("day", 5))
	l.cols = cols
	for i := range 200 {
		l.put(fmt.Sprintf("in/day=%d/%d.txt", i%4, i), "x", 1)
	}
	for i := range 4 {
		l.age(fmt.Sprintf("in/day=%d", i))
	}
	l.age("in")
	disk := &counting{FS: vfs.OS()}
	l.fs, l.clock = disk, clock.NewFake(at(100))
	s := l.mustOpen()
	l.plan(s, none, nil)

	disk.lists, disk.stats = 0, 0
	l.want(l.plan(s, none, nil), "-")
	if disk.lists != 0 || disk.stats > 7+32 {
		t.Errorf("an idle trigger lists %d directories and looks at %d names", disk.lists, disk.stats)
	}
	l.put("in/day=2/new.txt", "new", 2)
	disk.lists = 0
	l.want(l.plan(s, none, nil), "new,2")
	if disk.lists != 1 {
		t.Errorf("a new file in one directory lists %d", disk.lists)
	}
	// A time of a directory is not trusted for ever.
	l.age("in/day=2")
	l.put("in/day=2/hidden.txt", "hidden", 3)
	l.age("in/day=2")
	l.plan(s, none, nil)
	l.clock.Advance(6 * time.Second)
	disk.lists = 0
	l.plan(s, none, nil)
	if disk.lists != 5 {
		t.Errorf("after a while %d directories are listed", disk.lists)
	}
}

// age makes a directory look as if it had not changed for long.
func (l *land) age(name string) {
	l.t.Helper()
	if err := os.Chtimes(l.path(name), at(0), at(0)); err != nil {
		l.t.Fatal(err)
	}
}

// With many files waiting, each trigger looks only at those that it takes.
func TestBacklogIsNotListedAgain(t *testing.T) {
	l := newLand(t)
	for i := range 100 {
		l.put(fmt.Sprintf("in/%03d.txt", i), fmt.Sprint(i), 1)
	}
	disk := &counting{FS: vfs.OS()}
	l.fs = disk
	s := l.mustOpen()
	l.want(l.plan(s, source.Limits{Files: 1}, nil), "0")
	disk.lists, disk.stats = 0, 0
	for i := 1; i < 50; i++ {
		l.want(l.plan(s, source.Limits{Files: 1}, nil), fmt.Sprint(i))
	}
	if disk.lists != 0 || disk.stats > 49*40 {
		t.Errorf("49 triggers list %d directories and look at %d names", disk.lists, disk.stats)
	}
}
