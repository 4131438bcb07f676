package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/textlog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Pending is a write that goes on beside the computation.
type Pending struct {
	w    *writer
	done chan struct{}
	err  error // once done is closed
}

// Wait returns once the write is durable, or failed.
func (p *Pending) Wait(ctx context.Context) error {
	if p.w.manual() {
		p.w.runUntil(p)
	}
	select {
	case <-p.done:
		return p.err
	default:
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done is closed once the write is durable or failed.
func (p *Pending) Done() <-chan struct{} { return p.done }

// writer makes files durable in the background, in order. Whatever is queued
// while the disk is busy goes out together with the next flush.
type writer struct {
	c       *Checkpoint
	mu      sync.Mutex
	idle    *sync.Cond
	queue   []*job
	running bool
	failed  error // sticky: a failed fsync is never tried again

	lastOffsets, lastCommit int64 // queued or durable
}

// job is the write of one offsets or commits file, with what must be durable
// before it.
type job struct {
	log     *numbered
	n       int64
	before  []vfs.NewFile // of the sources
	file    vfs.NewFile
	head    head // of an offsets file
	pending *Pending
}

func (w *writer) init(c *Checkpoint) {
	w.c = c
	w.idle = sync.NewCond(&w.mu)
}

func (w *writer) manual() bool { return w.c.opt.Manual }

// Taken is what a batch takes from one source: lines of JSON whose meaning
// is the source's.
type Taken struct {
	Source *SourceLog
	Lines  [][]byte
}

// WriteOffsets begins to write offsets/n, after what the batch takes from its
// sources. Call it once offsets/n-1 and PREPARED(n-1) are durable, and wait
// for it before anything of batch n becomes visible outside. The lines are
// copied.
func (c *Checkpoint) WriteOffsets(n int64, lines [][]byte, taken ...Taken) *Pending {
	if err := c.clean(); err != nil { // without a Plan before: a new checkpoint, a test
		return c.writer.refuse(fault.IO("checkpoint", c.dir, err))
	}
	j := &job{log: c.offsets, n: n}
	j.head = head{Batch: n, Oldest: n}
	if first := c.Oldest(); first != NoBatch {
		j.head.Oldest = max(n-int64(c.opt.Keep)+1, first)
	}
	if c.Contended() {
		j.head.Epoch = c.epoch
	}
	for _, t := range taken {
		if len(t.Lines) == 0 {
			continue
		}
		j.head.Sources = append(j.head.Sources, t.Source.name)
		path := t.Source.path(span{to: n, epoch: j.head.Epoch})
		j.before = append(j.before, vfs.NewFile{Path: path, Data: textlog.Encode(t.Lines...), Fresh: true})
	}
	first, err := json.Marshal(j.head)
	if err != nil {
		return c.writer.refuse(err)
	}
	j.file = vfs.NewFile{Path: c.offsets.path(n), Data: textlog.Encode(append([][]byte{first}, lines...)...), Fresh: true}
	return c.writer.add(j)
}

// WriteCommit begins to write commits/n: batch n is published. It becomes
// durable together with the work of batch n+1, or by Sync.
func (c *Checkpoint) WriteCommit(n int64, lines [][]byte) *Pending {
	j := &job{log: c.commits, n: n}
	j.file = vfs.NewFile{Path: c.commits.path(n), Data: textlog.Encode(lines...)}
	return c.writer.add(j)
}

// Sync waits until everything queued is durable: when the query is idle, and
// before it stops.
func (c *Checkpoint) Sync() error {
	w := &c.writer
	if w.manual() {
		w.runUntil(nil)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.running || len(w.queue) > 0 {
		w.idle.Wait()
	}
	return w.failed
}

// Close makes everything durable and releases the lock.
func (c *Checkpoint) Close() error {
	err := c.Sync()
	if e := c.unlock(); err == nil {
		err = e
	}
	c.writer.mu.Lock()
	defer c.writer.mu.Unlock()
	if c.writer.failed == nil {
		c.writer.failed = fmt.Errorf("checkpoint %s is closed", c.dir)
	}
	return err
}

// Step runs one queued write in Manual mode and reports whether there was one.
func (c *Checkpoint) Step() bool { return c.writer.step() }

func (w *writer) refuse(err error) *Pending {
	p := &Pending{w: w, done: make(chan struct{}), err: err}
	close(p.done)
	return p
}

func (w *writer) add(j *job) *Pending {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.check(j); err != nil {
		return w.refuse(err)
	}
	j.pending = &Pending{w: w, done: make(chan struct{})}
	w.queue = append(w.queue, j)
	if !w.running && !w.manual() {
		w.running = true
		go w.run()
	}
	return j.pending
}

// check keeps the logs in order: offsets without gaps, commits never ahead.
func (w *writer) check(j *job) error {
	c := w.c
	switch {
	case w.failed != nil:
		return &fault.Error{Kind: fault.ErrFailed, What: j.log.name(j.n), Path: j.file.Path, Batch: j.n,
			Why: "an earlier write failed", Err: w.failed, Hint: "start the query again: it recovers from what is durable"}
	case c.opt.ReadOnly:
		return fmt.Errorf("checkpoint %s is open for reading only", c.dir)
	case j.log == c.offsets && w.lastOffsets != NoBatch && j.n != w.lastOffsets+1:
		return fmt.Errorf("%s follows batch %d", j.log.name(j.n), w.lastOffsets)
	case j.log == c.commits && j.n <= w.lastCommit:
		return fmt.Errorf("%s is there already", j.log.name(j.n))
	case j.log == c.commits && j.n > w.lastOffsets:
		return fmt.Errorf("%s is ahead of the offset log, which is at batch %d", j.log.name(j.n), w.lastOffsets)
	}
	if j.log == c.offsets {
		w.lastOffsets = j.n
	} else {
		w.lastCommit = j.n
	}
	return nil
}

// run works until nothing is queued.
func (w *writer) run() {
	for {
		w.mu.Lock()
		group := w.group()
		if len(group) == 0 {
			w.running = false
			w.idle.Broadcast()
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		w.write(group)
	}
}

// group takes from the queue what may become durable in one go: at most one
// offsets file, since the next must not be durable before it. The lock is held.
func (w *writer) group() []*job {
	n, offsets := 0, 0
	for n < len(w.queue) {
		if w.queue[n].log == w.c.offsets {
			if offsets++; offsets > 1 {
				break
			}
		}
		n++
	}
	group := w.queue[:n:n]
	w.queue = w.queue[n:]
	return group
}

func (w *writer) step() bool {
	w.mu.Lock()
	if len(w.queue) == 0 {
		w.mu.Unlock()
		return false
	}
	group := w.queue[:1:1]
	w.queue = w.queue[1:]
	w.mu.Unlock()
	w.write(group)
	return true
}

// runUntil writes what is queued up to p; all of it when p is nil.
func (w *writer) runUntil(p *Pending) {
	for {
		if p != nil {
			select {
			case <-p.done:
				return
			default:
			}
		}
		w.mu.Lock()
		group := w.group()
		w.mu.Unlock()
		if len(group) == 0 {
			return
		}
		w.write(group)
	}
}

// write makes a group durable and tells those who wait, then tidies up.
// Commits come before offsets, so that a batch with offsets has at most one
// before it whose commit may be lost.
func (w *writer) write(group []*job) {
	var before, files []vfs.NewFile
	for _, j := range group {
		before = append(before, j.before...)
		if j.log == w.c.commits {
			before = append(before, j.file)
		} else {
			files = append(files, j.file)
		}
	}
	err := w.err()
	if err == nil {
		if err = vfs.WriteFilesAtomic(w.c.fs, before, files); err != nil {
			err = fault.IO(group[0].log.name(group[0].n), group[0].file.Path, err)
		}
	}
	w.finish(group, err)
	if err != nil {
		return
	}
	for _, j := range group {
		if j.log == w.c.offsets {
			err = w.c.tidy(j)
		}
	}
	w.fail(err)
}

func (w *writer) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.failed = err
	}
}

func (w *writer) finish(group []*job, err error) {
	w.fail(err)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range group {
		if err == nil {
			j.log.last = max(j.log.last, j.n)
			if j.log.first == NoBatch {
				j.log.first = j.n
			}
			if j.log == w.c.offsets {
				w.c.epochs[j.n] = j.head.Epoch
			}
		}
		j.pending.err = err
		close(j.pending.done)
	}
}

// tidy removes what the durable offsets say is not needed any more, and
// compacts source logs.
func (c *Checkpoint) tidy(j *job) error {
	if err := c.removeRange(c.Oldest(), j.head.Oldest); err != nil {
		return err
	}
	err := c.tidySources(j.n, j.head.Oldest)
	c.writer.mu.Lock()
	defer c.writer.mu.Unlock()
	for n := c.offsets.first; n < j.head.Oldest; n++ {
		delete(c.epochs, n)
	}
	c.offsets.first = max(c.offsets.first, j.head.Oldest)
	return err
}
