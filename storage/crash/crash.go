// Package crash is the substrate of the crash tests: it runs a workload on a
// crashable file system and stops the machine at every operation, again
// during recovery, and with every operation failing once.
//
// It knows no protocol. A workload is a function that starts a process on the
// given files, goes on where the last one stopped, and returns nil when all
// is done. Workloads must choose new batch boundaries, by Life.Rand, wherever
// the protocol leaves them free: a replay of identical batches hides
// durability bugs.
package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Life is one run of the process.
type Life struct {
	FS   vfs.FS
	Root string // of what the workload keeps: "/data", or a place on an object store
	N    int    // 0 is the first
	Rand *rand.Rand
}

// Workload runs the process to its end, or until its files fail.
type Workload func(Life) error

// Fate is what a crash leaves of what was not synced.
type Fate string

// The fates.
const (
	Nothing Fate = "nothing" // power loss, no luck
	Half    Fate = "half"    // power loss, each block and name by chance
	All     Fate = "all"     // power loss, everything had reached the disk
	Kill    Fate = "kill"    // the process alone dies: all readable, not durable
)

func (f Fate) apply(fs *vfs.Crashable) *vfs.Crashable {
	switch f {
	case Nothing:
		return fs.CrashClone(0)
	case Half:
		return fs.CrashClone(0.5)
	case All:
		return fs.CrashClone(1)
	default:
		return fs.KillClone()
	}
}

// Config says what to enumerate.
type Config struct {
	Seed uint64
	// Fates of the first crash, each a schedule of its own; by default all,
	// and Half three times, with other luck.
	Fates []Fate
	// Seconds is how many schedules with a second crash follow each first
	// crash; that one hits within the first SecondWithin operations of the
	// next life (60 by default), which are mostly recovery.
	Seconds      int
	SecondWithin int64
	// Stride skips first crash points; 1 by default.
	Stride int64
}

// Report counts what was run.
type Report struct {
	Schedules int
	Ops       int64 // of the undisturbed run
}

// Schedule is one history. It reproduces the run that it names.
type Schedule struct {
	Seed   uint64
	Luck   uint64 // decides what survives of a half
	First  int64  // operation at which the first life ends
	Fate   Fate
	Second int64 // the same of the second life; 0 is never
	Then   Fate
}

func (s Schedule) String() string {
	return fmt.Sprintf("{Seed: %d, Luck: %d, First: %d, Fate: %q, Second: %d, Then: %q}", s.Seed, s.Luck, s.First, s.Fate, s.Second, s.Then)
}

// Enumerate runs work with a crash at every operation, lets it recover and
// finish, and calls check on the result. The error names the schedule.
func Enumerate(cfg Config, work, check Workload) (Report, error) {
	if cfg.Fates == nil {
		cfg.Fates = []Fate{Nothing, Half, Half, Half, All, Kill}
	}
	if cfg.SecondWithin == 0 {
		cfg.SecondWithin = 60
	}
	cfg.Stride = max(cfg.Stride, 1)
	rng := rand.New(rand.NewPCG(cfg.Seed, 3))
	ops, err := undisturbed(cfg.Seed, work, check)
	r := Report{Ops: ops}
	for at := int64(1); err == nil && at <= ops+1; at += cfg.Stride {
		for _, fate := range cfg.Fates {
			for k := 0; k <= cfg.Seconds && err == nil; k++ {
				s := Schedule{Seed: cfg.Seed, Luck: rng.Uint64N(1 << 32), First: at, Fate: fate}
				if k > 0 {
					s.Second = 1 + rng.Int64N(cfg.SecondWithin)
					s.Then = cfg.Fates[rng.IntN(len(cfg.Fates))]
				}
				r.Schedules++
				err = Run(s, work, check)
			}
		}
	}
	return r, err
}

func undisturbed(seed uint64, work, check Workload) (int64, error) {
	fs := vfs.NewCrashable(seed)
	err := work(life(fs, seed, 0))
	ops := fs.Ops()
	if err == nil {
		err = check(life(fs, seed, 1))
	}
	if err != nil {
		err = fmt.Errorf("without any crash: %w", err)
	}
	return ops, err
}

func life(fs *vfs.Crashable, seed uint64, n int) Life {
	return Life{FS: fs, Root: "/data", N: n, Rand: rand.New(rand.NewPCG(seed, uint64(n)+100))}
}

// Run runs one schedule. A panic is an error of it.
func Run(s Schedule, work, check Workload) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("schedule %v: %w", s, err)
		}
	}()
	fs := vfs.NewCrashable(s.Luck)
	points := []struct {
		at   int64
		fate Fate
	}{{s.First, s.Fate}, {s.Second, s.Then}}
	for n, p := range points {
		fs.CrashAt(p.at)
		err := work(life(fs, s.lifeSeed(n), n))
		if !fs.Crashed() {
			if err != nil {
				return fmt.Errorf("life %d: %w", n, err)
			}
			fs.CrashAt(0)
			break
		}
		fs = p.fate.apply(fs)
	}
	n := len(points)
	if err := work(life(fs, s.lifeSeed(n), n)); err != nil {
		return fmt.Errorf("life %d: %w", n, err)
	}
	return check(life(fs, s.Seed, n+1))
}

// lifeSeed repeats the undisturbed run in the first life, so that the crash
// points mean the same, and gives every later life choices of its own.
func (s Schedule) lifeSeed(n int) uint64 {
	if n == 0 {
		return s.Seed
	}
	return s.Seed + s.Luck
}

// Fault is an injected failure.
type Fault struct {
	Name string
	// At returns the error of an operation with that distance (from 0) from
	// the point of injection, or nil.
	At func(op vfs.Op, since int64) error
}

// Faults are the failures of a disk: each hits once, but a full disk stays
// full until the next start.
func Faults() []Fault {
	once := func(kinds map[vfs.OpKind]bool, err error) func(vfs.Op, int64) error {
		return func(op vfs.Op, since int64) error {
			if since == 0 && (kinds == nil || kinds[op.Kind]) {
				return err
			}
			return nil
		}
	}
	grows := map[vfs.OpKind]bool{vfs.OpCreate: true, vfs.OpWrite: true, vfs.OpMkdir: true, vfs.OpRename: true, vfs.OpSync: true}
	return []Fault{
		{"i/o error", once(nil, syscall.EIO)},
		{"short write", once(map[vfs.OpKind]bool{vfs.OpWrite: true}, &vfs.ShortWrite{N: 700, Err: syscall.EIO})},
		{"failed sync", once(map[vfs.OpKind]bool{vfs.OpSync: true, vfs.OpSyncDir: true}, syscall.EIO)},
		{"disk full", func(op vfs.Op, _ int64) error {
			if grows[op.Kind] {
				return syscall.ENOSPC
			}
			return nil
		}},
	}
}

// EnumerateFaults runs work with every fault at every operation. The process
// must stop with an error or get over it, never lie: the next one, after a
// power loss without luck in every second schedule, finishes the work.
func EnumerateFaults(cfg Config, work, check Workload) (Report, error) {
	ops, err := undisturbed(cfg.Seed, work, check)
	r := Report{Ops: ops}
	for at := int64(1); err == nil && at <= ops; at += max(cfg.Stride, 1) {
		for _, fault := range Faults() {
			for _, lossAfter := range []int64{0, 1 + at%40} {
				if err == nil {
					r.Schedules++
					err = runFault(cfg.Seed, at, fault, lossAfter, work, check)
				}
			}
		}
	}
	return r, err
}

func runFault(seed uint64, at int64, fault Fault, lossAfter int64, work, check Workload) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("%s at operation %d, power loss after %d: %w", fault.Name, at, lossAfter, err)
		}
	}()
	fs := vfs.NewCrashable(seed + uint64(at)*7919)
	fs.OnOp(func(op vfs.Op) error {
		if op.N < at {
			return nil
		}
		return fault.At(op, op.N-at)
	})
	first := work(life(fs, seed, 0))
	fs = fs.KillClone()
	fs.CrashAt(lossAfter)
	if err := work(life(fs, seed+uint64(at), 1)); err != nil && !fs.Crashed() {
		return errors.Join(fmt.Errorf("the next start: %w", err), first)
	}
	if !fs.Crashed() {
		fs.CrashAt(0)
	} else {
		fs = fs.CrashClone(0)
		if err := work(life(fs, seed+uint64(at), 2)); err != nil {
			return errors.Join(fmt.Errorf("the start after the power loss: %w", err), first)
		}
	}
	return check(life(fs, seed, 3))
}
