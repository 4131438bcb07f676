package file_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/storage/vfs/object/objecttest"
)

// storeRun writes batches to an object store as the trigger loop does, in processes that
// die at chosen requests. What the loop would have in its state log survives.
type storeRun struct {
	t      *testing.T
	store  *objecttest.Store
	epoch  int64
	logged map[int64][]byte
	rows   map[int64]string
	tries  int64
}

const (
	storeDir     = "s3:/b/out"
	storeBatches = 11 // beyond the first compacted log file
)

func newStoreRun(t *testing.T) *storeRun {
	return &storeRun{t: t, store: objecttest.New(), logged: map[int64][]byte{}, rows: map[int64]string{}}
}

// life runs a process until all batches are published, or it dies.
func (r *storeRun) life(c *objecttest.Client) error {
	r.epoch++
	epoch := r.epoch
	o := newOut(r.t)
	o.fs = c.FS(fmt.Sprint(epoch))
	o.cfg.Options = []option.Value{{Name: "path", Text: "s3://b/out"}, {Name: "format", Text: "lines"}}
	s, err := o.open()
	if err != nil {
		return err
	}
	m, err := s.Marker(context.Background())
	if err != nil {
		return err
	}
	next := m.ID + 1
	if err := s.Discard(context.Background(), sink.Batch{ID: int64(len(r.logged)), Epoch: epoch}); err != nil {
		return err
	}
	for n := next; n < storeBatches; n++ {
		if err := r.batch(s, sink.Batch{ID: n, Epoch: epoch}); err != nil {
			return err
		}
	}
	return s.Close()
}

// batch stages, logs and publishes; a logged batch is published again and not computed.
func (r *storeRun) batch(s sink.Sink, b sink.Batch) error {
	if r.logged[b.ID] == nil {
		r.tries++
		id := b.ID*1000 + r.tries
		payload, err := s.Stage(context.Background(), b, func(emit func(*vec.Batch) error) error { return emit(rows(id)) })
		if err != nil {
			return err
		}
		if b.Epoch < r.epoch {
			return vfs.ErrConflict // the state log says so
		}
		r.logged[b.ID], r.rows[b.ID] = payload, fmt.Sprintf("%d,w%d", id, id)
	}
	return s.Publish(context.Background(), b, r.logged[b.ID])
}

// check compares what readers of the log, and of the plain objects, see with what was logged.
func (r *storeRun) check() error {
	fsys := r.store.Client().FS("reader")
	var want, got, plain []string
	for _, text := range r.rows {
		want = append(want, text)
	}
	files, last, err := sinklog.Open(fsys, storeDir).Files()
	if err != nil || last != storeBatches-1 {
		return errors.Join(err, fmt.Errorf("the last batch in the log is %d", last))
	}
	for _, f := range files {
		text, err := vfs.ReadFile(fsys, storeDir+"/"+f.Name)
		if err != nil {
			return err
		}
		got = append(got, strings.Fields(strings.TrimSuffix(string(text), "."))...)
	}
	for _, key := range r.store.Keys() {
		if strings.HasSuffix(key, ".txt") {
			text, _ := vfs.ReadFile(fsys, "s3:/b/"+key)
			plain = append(plain, strings.Fields(strings.TrimSuffix(string(text), "."))...)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	slices.Sort(plain)
	if !slices.Equal(got, want) || !slices.Equal(plain, want) {
		return fmt.Errorf("readers of the log see %v, of the objects %v, want %v", got, plain, want)
	}
	if n := r.store.Unfinished(); n > 1 { // one of the last batch may still be wanted, as far as a start knows
		return fmt.Errorf("%d uploads are left", n)
	}
	return nil
}

// storeDeaths kills a process at every request, in every way, and lets the next one finish.
func storeDeaths(t *testing.T) error {
	c := newStoreRun(t)
	client := c.store.Client()
	if err := errors.Join(c.life(client), c.check()); err != nil {
		return err
	}
	for at := int64(1); at <= client.Changes(); at++ {
		for _, fate := range []objecttest.Fate{objecttest.Before, objecttest.After, objecttest.Late} {
			r := newStoreRun(t)
			first := r.store.Client()
			first.DieAt(at, fate, 1+at%5)
			if err := r.life(first); err == nil || !first.Dead() {
				return fmt.Errorf("request %d, %s: the first process: %w", at, fate, err)
			}
			err := r.life(r.store.Client())
			r.store.Deliver()
			if err == nil && fate == objecttest.Late { // what arrived last is cleared by the next start
				err = r.life(r.store.Client())
			}
			if err = errors.Join(err, r.check()); err != nil {
				return fmt.Errorf("request %d, %s: %w", at, fate, err)
			}
		}
	}
	return nil
}

// storeZombies lets a process sleep at every request until another one has done the work.
func storeZombies(t *testing.T) error {
	c := newStoreRun(t)
	client := c.store.Client()
	if err := c.life(client); err != nil {
		return err
	}
	for at := int64(1); at <= client.Changes(); at++ {
		r := newStoreRun(t)
		first, second := r.store.Client(), error(nil)
		first.OnRequest(func(n int64, _, _ string) (objecttest.Fate, error) {
			if n == at {
				second = r.partly(4)
			}
			return "", nil
		})
		_ = r.life(first) // it may fail, or have nothing left to do
		err := errors.Join(second, r.life(r.store.Client()))
		if err = errors.Join(err, r.life(r.store.Client()), r.check()); err != nil { // the last start clears up
			return fmt.Errorf("asleep at request %d: %w", at, err)
		}
	}
	return nil
}

// partly is a life that ends after so many requests.
func (r *storeRun) partly(n int64) error {
	c := r.store.Client()
	c.DieAt(n, objecttest.After, 0)
	if err := r.life(c); err != nil && !c.Dead() {
		return err
	}
	return nil
}

func TestStoreDeaths(t *testing.T) {
	if err := storeDeaths(t); err != nil {
		t.Fatal(err)
	}
}

func TestStoreZombies(t *testing.T) {
	if err := storeZombies(t); err != nil {
		t.Fatal(err)
	}
}
