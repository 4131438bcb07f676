package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/sqlstream/sqlstream/storage/vfs/object"
	"github.com/sqlstream/sqlstream/storage/vfs/object/objecttest"
)

// objectRoot is where workloads keep their files on an object store.
const objectRoot = "s3:/bucket/data"

// ObjectSchedule is one history on an object store: the process of the first life dies at
// a request, that of the second perhaps too.
type ObjectSchedule struct {
	Seed   uint64
	Luck   uint64 // of later lives
	First  int64  // request, of those that change something
	Fate   objecttest.Fate
	Lag    int64 // of a late request: it arrives after so many of later lives
	Second int64 // 0 is never
	Then   objecttest.Fate
}

func (s ObjectSchedule) String() string {
	return fmt.Sprintf("{Seed: %d, Luck: %d, First: %d, Fate: %q, Lag: %d, Second: %d, Then: %q}", s.Seed, s.Luck, s.First, s.Fate, s.Lag, s.Second, s.Then)
}

// maxLives bounds how often a process that lost a race against a late request of a dead
// one is started again.
const maxLives = 6

// EnumerateObjects is Enumerate for an object store: the process dies at every request
// that changes something, before the request, after it, or so that it arrives only while
// the next process is at work. A store neither forgets nor tears: these are all fates.
func EnumerateObjects(cfg Config, work, check Workload) (Report, error) {
	rng := rand.New(rand.NewPCG(cfg.Seed, 5))
	requests, err := undisturbedObjects(cfg.Seed, work, check)
	r := Report{Ops: requests}
	fates := []objecttest.Fate{objecttest.Before, objecttest.After, objecttest.Late}
	for at := int64(1); err == nil && at <= requests; at += max(cfg.Stride, 1) {
		for _, fate := range fates {
			for k := 0; k <= cfg.Seconds && err == nil; k++ {
				s := ObjectSchedule{Seed: cfg.Seed, Luck: rng.Uint64N(1 << 32), First: at, Fate: fate, Lag: 1 + rng.Int64N(12)}
				if k > 0 {
					s.Second, s.Then = 1+rng.Int64N(20), fates[rng.IntN(len(fates))]
				}
				r.Schedules++
				err = RunObjects(s, work, check)
			}
		}
	}
	return r, err
}

func undisturbedObjects(seed uint64, work, check Workload) (int64, error) {
	store := objecttest.New()
	c := store.Client()
	err := work(objectLife(c, seed, 0))
	requests := c.Changes()
	if err == nil {
		err = check(objectLife(store.Client(), seed, 1))
	}
	if err != nil {
		err = fmt.Errorf("without any crash: %w", err)
	}
	return requests, err
}

func objectLife(c *objecttest.Client, seed uint64, n int) Life {
	l := Life{FS: c.FS(fmt.Sprintf("life-%d", n)), Root: objectRoot, N: n, Rand: rand.New(rand.NewPCG(seed, uint64(n)+100))}
	return l
}

// RunObjects runs one schedule. A process may give up because a request of the one before
// it arrived late and won: then the next start must succeed.
func RunObjects(s ObjectSchedule, work, check Workload) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("schedule %v: %w", s, err)
		}
	}()
	store := objecttest.New()
	for n := 0; ; n++ {
		c := store.Client()
		seed := s.Seed
		switch n {
		case 0:
			c.DieAt(s.First, s.Fate, s.Lag)
		case 1:
			c.DieAt(s.Second, s.Then, s.Lag)
		}
		if n > 0 {
			seed += s.Luck
		}
		err := work(objectLife(c, seed, n))
		switch {
		case err == nil:
			store.Deliver()
			return check(objectLife(store.Client(), s.Seed, n+1))
		case c.Dead():
		case lostRace(err) && n < maxLives:
		default:
			return fmt.Errorf("life %d: %w", n, err)
		}
	}
}

// EnumerateObjectFaults runs work with every fault of a store at every request: an answer
// that is lost after the request had its effect, and a request that had none; once, which
// nobody may notice, or until the end of the life.
func EnumerateObjectFaults(cfg Config, work, check Workload) (Report, error) {
	requests, err := undisturbedObjects(cfg.Seed, work, check)
	r := Report{Ops: requests}
	for at := int64(1); err == nil && at <= requests; at += max(cfg.Stride, 1) {
		for _, fate := range []objecttest.Fate{objecttest.Before, objecttest.After} {
			for _, lasting := range []bool{false, true} {
				if err == nil {
					r.Schedules++
					err = runObjectFault(cfg.Seed, at, fate, lasting, work, check)
				}
			}
		}
	}
	return r, err
}

func runObjectFault(seed uint64, at int64, fate objecttest.Fate, lasting bool, work, check Workload) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("fault %q at request %d, lasting %v: %w", fate, at, lasting, err)
		}
	}()
	store := objecttest.New()
	c := store.Client()
	c.OnRequest(func(n int64, _, _ string) (objecttest.Fate, error) {
		if n == at || lasting && n > at {
			return fate, object.ErrTransient
		}
		return "", nil
	})
	first := work(objectLife(c, seed, 0))
	if first != nil && !lasting {
		return fmt.Errorf("a failure in passing was not got over: %w", first)
	}
	if first != nil {
		if err := work(objectLife(store.Client(), seed+uint64(at), 1)); err != nil {
			return errors.Join(fmt.Errorf("the next start: %w", err), first)
		}
	}
	return check(objectLife(store.Client(), seed, 2))
}
