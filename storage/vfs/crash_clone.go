package vfs

import "slices"

// CrashClone stops this machine and returns the one that boots after a power
// loss: what was synced, and each unsynced block and directory entry with the
// given probability.
func (c *Crashable) CrashClone(survival float64) *Crashable {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashed = true
	boot := NewCrashable(c.rng.Uint64())
	boot.clock = c.clock
	cl := cloner{c: c, boot: boot, p: survival, seen: map[*node]*node{}, lasting: map[*node]map[string]*node{}}
	cl.surviveNames()
	boot.root = cl.clone(c.root)
	return boot
}

// KillClone stops the processes of this machine but not the machine: the next
// process sees every write, and what was not synced is still not durable.
func (c *Crashable) KillClone() *Crashable {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashed = true
	next := NewCrashable(c.rng.Uint64())
	next.root, next.pending, next.clock = c.root, c.pending, c.clock
	return next
}

type cloner struct {
	c       *Crashable
	boot    *Crashable
	p       float64
	seen    map[*node]*node            // old to new: hard links stay links
	lasting map[*node]map[string]*node // entries of directories with survivors
}

func (cl *cloner) lucky() bool { return cl.c.rng.Float64() < cl.p }

// surviveNames decides which pending directory operations reached the disk.
func (cl *cloner) surviveNames() {
	chosen := map[*dirOp]bool{}
	for _, op := range cl.c.pending {
		chosen[op] = cl.lucky()
	}
	survivors(cl.c.pending, chosen, false)
	for _, op := range cl.c.pending {
		if !chosen[op] {
			continue
		}
		for _, ch := range op.changes {
			setEntry(cl.entriesOf(ch.dir), ch.name, ch.to)
		}
	}
}

func (cl *cloner) entriesOf(dir *node) map[string]*node {
	entries := cl.lasting[dir]
	if entries == nil {
		entries = map[string]*node{}
		for name, n := range dir.durable {
			entries[name] = n
		}
		cl.lasting[dir] = entries
	}
	return entries
}

func (cl *cloner) clone(old *node) *node {
	if n := cl.seen[old]; n != nil {
		return n
	}
	n := cl.boot.newFile()
	if old.dir {
		n = cl.boot.newDir()
	}
	n.mtime = old.mtime
	cl.seen[old] = n
	if !old.dir {
		cl.cloneContent(old, n)
		return n
	}
	entries := cl.entriesOf(old)
	for _, name := range sortedNames(entries) {
		n.entries[name] = cl.clone(entries[name])
		n.durable[name] = n.entries[name]
	}
	return n
}

func (cl *cloner) cloneContent(old, n *node) {
	n.blocks = slices.Clone(old.durableBlocks)
	for i := range max(len(old.blocks), len(old.durableBlocks)) {
		if (old.dirty[i] || old.lost[i]) && cl.lucky() {
			n.setBlock(i, old.blocks)
		}
	}
	n.truncate(max(old.size, old.durableSize)) // blocks beyond are gone in any case
	n.truncate(cl.surviveSize(old))
	n.sync()
	n.durableBlocks = slices.Clone(n.blocks)
}

func (n *node) setBlock(i int, from []*block) {
	for len(n.blocks) <= i {
		n.blocks = append(n.blocks, nil)
	}
	n.blocks[i] = nil
	if i < len(from) && from[i] != nil {
		b := *from[i]
		n.blocks[i] = &b
	}
}

// surviveSize picks the size after the crash: the old one, the new one, or
// when the file grew, any block boundary between.
func (cl *cloner) surviveSize(old *node) int64 {
	if old.size == old.durableSize || !cl.lucky() {
		return old.durableSize
	}
	if grown := old.size - old.durableSize; grown > blockSize && cl.p < 1 && cl.lucky() {
		first := old.durableSize/blockSize + 1
		return (first + cl.c.rng.Int64N(grown/blockSize)) * blockSize
	}
	return old.size
}
