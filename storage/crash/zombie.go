package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/storage/vfs/object/objecttest"
)

// ZombieReport counts what was run, and how the process that was replaced ended.
type ZombieReport struct {
	Schedules int
	Fenced    int // it was told that another one has taken over
	Finished  int // it had nothing left to do
}

// EnumerateZombies runs two processes on one object store: the first sleeps before each of
// its requests in turn, the second starts, and somewhere in its work the first wakes up and
// goes on until it ends. The first may fail, by a conflict alone; the second may lose a race
// and be started again; in the end the result is right.
func EnumerateZombies(cfg Config, work, check Workload) (ZombieReport, error) {
	rng := rand.New(rand.NewPCG(cfg.Seed, 6))
	requests, err := undisturbedObjects(cfg.Seed, work, check)
	var r ZombieReport
	for at := int64(1); err == nil && at <= requests; at += max(cfg.Stride, 1) {
		for k := 0; k <= cfg.Seconds && err == nil; k++ {
			wake := 1 + rng.Int64N(requests)
			if k == 0 {
				wake = requests + 1 // once the second has done everything
			}
			err = runZombie(cfg.Seed, rng.Uint64N(1<<32), at, wake, work, check, &r)
		}
	}
	return r, err
}

func runZombie(seed, luck uint64, at, wake int64, work, check Workload, r *ZombieReport) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("the first process sleeps before request %d, the second (luck %d) wakes it at its %d: %w", at, luck, wake, err)
		}
	}()
	r.Schedules++
	store := objecttest.New()
	asleep, awake, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	first := store.Client()
	first.OnRequest(func(n int64, _, _ string) (objecttest.Fate, error) {
		if n == at {
			close(asleep)
			<-awake
		}
		return "", nil
	})
	go func() { ended <- work(objectLife(first, seed, 0)) }()
	<-asleep
	var end error
	woken := false
	wakeUp := func() {
		if !woken {
			woken = true
			close(awake)
			end = <-ended
		}
	}
	defer wakeUp()
	if err := second(store, seed+luck, wake, wakeUp, work); err != nil {
		return err
	}
	wakeUp()
	switch {
	case end == nil:
		r.Finished++
	case lostRace(end):
		r.Fenced++
	default:
		return fmt.Errorf("the first process: %w", end)
	}
	return check(objectLife(store.Client(), seed, maxLives+1))
}

// second runs the process that takes over, again where it lost a race, and wakes the first
// one at a request.
func second(store *objecttest.Store, seed uint64, wake int64, wakeUp func(), work Workload) error {
	requests := int64(0)
	for n := 1; ; n++ {
		c := store.Client()
		c.OnRequest(func(change int64, _, _ string) (objecttest.Fate, error) {
			if change > 0 {
				if requests++; requests == wake {
					wakeUp()
				}
			}
			return "", nil
		})
		err := work(objectLife(c, seed, n))
		if err == nil || !lostRace(err) || n == maxLives {
			return err
		}
	}
}

// lostRace reports that another process was faster, or has taken over.
func lostRace(err error) bool {
	return errors.Is(err, vfs.ErrConflict) || errors.Is(err, fault.ErrFenced)
}
