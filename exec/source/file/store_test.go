package file_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/storage/vfs/object/objecttest"
)

// shop is an object store with a source on it.
type shop struct {
	*land
	store *objecttest.Store
}

func newShop(t *testing.T, opts ...string) *shop {
	l := newLand(t, append([]string{"path", "s3://b/in/"}, opts...)...)
	s := &shop{land: l, store: objecttest.New()}
	s.store.PageSize = 10
	l.fs = s.store.Client().FS("source")
	return s
}

func (s *shop) object(name, text string) {
	s.t.Helper()
	if err := vfs.WriteFileAtomic(s.store.Client().FS("writer"), "s3:/b/"+name, []byte(text), true); err != nil {
		s.t.Fatal(err)
	}
}

// names plans a range and gives the names of its objects; "" = nothing new.
func (s *shop) names(src source.Source, l source.Limits) string {
	s.t.Helper()
	s.clock.Advance(2 * time.Second)
	r, ok, err := src.Plan(context.Background(), l, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if !ok {
		return ""
	}
	var out []string
	for _, e := range r.Entries {
		_, name, _ := strings.Cut(string(e), `"path":"s3://b/in/`)
		name, _, _ = strings.Cut(name, `"`)
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func (s *shop) gives(src source.Source, l source.Limits, want string) {
	s.t.Helper()
	if got := s.names(src, l); got != want {
		s.t.Errorf("planned %q, want %q", got, want)
	}
}

// The rules for files on disk hold for objects: once each, in the order of time, no hidden
// ones, only directories key=value unless recursive; a directory may come later.
func TestStoreListing(t *testing.T) {
	s := newShop(t)
	src := s.mustOpen()
	s.gives(src, source.Limits{}, "")
	for _, name := range []string{"b.txt", "a.txt", "_hidden.txt", "x.tmp", "deep/c.txt", "_staging/q/d.txt"} {
		s.object("in/"+name, "1")
	}
	s.object("inn/other.txt", "1")
	s.gives(src, source.Limits{}, "b.txt a.txt")
	s.gives(src, source.Limits{}, "")
	for i := range 25 {
		s.object(fmt.Sprintf("in/%02d.txt", 30-i), "1")
	}
	s.gives(src, source.Limits{Files: 2}, "30.txt 29.txt")
	s.gives(src, source.Limits{Files: 1}, "28.txt")
	s.store.Requests()
	if _, _, err := src.Plan(context.Background(), source.Limits{Files: 1}, nil); err != nil {
		t.Fatal(err)
	}
	if c := s.store.Requests(); c["list"] != 0 {
		t.Errorf("a backlog is taken with %v", c)
	}
	all := newShop(t, "path", "s3://b/in/**/*.txt")
	all.object("in/deep/er/c.txt", "1")
	all.object("in/x.csv", "1")
	all.object("in/d.txt", "1")
	all.gives(all.mustOpen(), source.Limits{}, "deep/er/c.txt d.txt")
}

// Between two listings of a store some time passes; with keys in order only new ones cost.
func TestStoreListingCost(t *testing.T) {
	s := newShop(t, "keys_in_order", "true")
	for i := range 100 {
		s.object(fmt.Sprintf("in/%03d.txt", i), "1")
	}
	src := s.mustOpen()
	s.gives(src, source.Limits{Files: 2}, "000.txt 001.txt")
	s.names(src, source.Limits{})
	s.object("in/100.txt", "1")
	s.store.Requests()
	s.gives(src, source.Limits{}, "100.txt")
	if c := s.store.Requests(); c["list"] != 1 || c["head"] != 0 {
		t.Errorf("a new object costs %v", c)
	}
	for range 10 { // no time passes
		if _, ok, err := src.Plan(context.Background(), source.Limits{}, nil); ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if c := s.store.Requests(); len(c) != 0 {
		t.Errorf("polling costs %v", c)
	}
}

// An object that was replaced after it was taken is not read for the one that was.
func TestStoreObjectReplaced(t *testing.T) {
	s := newShop(t)
	s.object("in/a.txt", "1")
	src := s.mustOpen()
	r, _, err := src.Plan(context.Background(), source.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	read := func() error {
		splits, err := src.Splits(context.Background(), r)
		for _, p := range splits {
			err = errors.Join(err, p.Read(context.Background(), source.Reading{Need: []int{0}}, discard))
		}
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	s.object("in/a.txt", "2")
	if err := read(); err == nil || !strings.Contains(err.Error(), "changed after it was taken") {
		t.Errorf("a replaced object: %v", err)
	}
}

func TestWebIsNoStream(t *testing.T) {
	l := newLand(t, "path", "https://example.org/a.txt")
	l.fs = webStub{l.fs}
	_, err := l.open()
	if err == nil || !strings.Contains(err.Error(), "cannot be read as a stream") || !strings.Contains(err.Error(), "CREATE TABLE") {
		t.Errorf("%v", err)
	}
}

func discard(*vec.Batch) error { return nil }

// webStub answers for an address.
type webStub struct{ vfs.FS }

func (w webStub) Stat(string) (fs.FileInfo, error) { return w.FS.Stat(".") }
