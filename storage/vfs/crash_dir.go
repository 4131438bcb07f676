package vfs

import (
	"errors"
	"io/fs"
)

// change gives a directory entry a new target; nil removes the entry.
type change struct {
	dir  *node
	name string
	to   *node
}

// dirOp is a change of the name space that no SyncDir has made durable. It
// can only survive a crash together with the operations that it needs.
type dirOp struct {
	changes []change
	needs   []*dirOp
}

func (op *dirOp) touches(dir *node, name string) bool {
	for _, ch := range op.changes {
		if ch.dir == dir && ch.name == name {
			return true
		}
	}
	return false
}

func (op *dirOp) in(dir *node) bool {
	for _, ch := range op.changes {
		if ch.dir == dir {
			return true
		}
	}
	return false
}

// apply makes changes visible as one pending operation, which needs every
// earlier one on the same entries and those given.
func (c *Crashable) apply(changes ...change) { c.applyAfter(nil, changes...) }

func (c *Crashable) applyAfter(needs []*dirOp, changes ...change) *dirOp {
	if c.lasting {
		for _, ch := range changes {
			setEntry(ch.dir.entries, ch.name, ch.to)
			setEntry(ch.dir.durable, ch.name, ch.to)
			ch.dir.mtime = c.now()
		}
		return nil
	}
	op := &dirOp{changes: changes, needs: needs}
	for _, ch := range changes {
		for _, earlier := range c.pending {
			if earlier.touches(ch.dir, ch.name) {
				op.needs = append(op.needs, earlier)
			}
		}
		setEntry(ch.dir.entries, ch.name, ch.to)
		ch.dir.mtime = c.now()
	}
	c.pending = append(c.pending, op)
	return op
}

func setEntry(entries map[string]*node, name string, to *node) {
	if to == nil {
		delete(entries, name)
		return
	}
	entries[name] = to
}

// survivors closes a choice of pending operations under what they need, in
// either direction: with force, whatever a chosen one needs is chosen too;
// without, one that lacks something is dropped.
func survivors(pending []*dirOp, chosen map[*dirOp]bool, force bool) {
	if force {
		for i := len(pending) - 1; i >= 0; i-- {
			if chosen[pending[i]] {
				for _, need := range pending[i].needs {
					chosen[need] = true
				}
			}
		}
		return
	}
	alive := make(map[*dirOp]bool, len(pending))
	for _, op := range pending {
		alive[op] = true
	}
	for _, op := range pending {
		for _, need := range op.needs {
			if alive[need] && !chosen[need] {
				chosen[op] = false
			}
		}
	}
}

// SyncDir implements FS.
func (c *Crashable) SyncDir(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(OpSyncDir, name); err != nil {
		return pathError("syncdir", name, err)
	}
	dir, err := c.lookup(name)
	if err != nil {
		return pathError("syncdir", name, err)
	}
	chosen := map[*dirOp]bool{}
	for _, op := range c.pending {
		chosen[op] = op.in(dir)
	}
	survivors(c.pending, chosen, true)
	rest := c.pending[:0]
	for _, op := range c.pending {
		if !chosen[op] {
			rest = append(rest, op)
			continue
		}
		for _, ch := range op.changes {
			setEntry(ch.dir.durable, ch.name, ch.to)
		}
	}
	c.pending = rest
	return nil
}

// MkdirAll implements FS.
func (c *Crashable) MkdirAll(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir := c.root
	for _, part := range splitPath(name) {
		child := dir.entries[part]
		if child == nil {
			if err := c.begin(OpMkdir, name); err != nil {
				return pathError("mkdir", name, err)
			}
			child = c.newDir()
			c.apply(change{dir, part, child})
		}
		if !child.dir {
			return pathError("mkdir", name, errors.New("not a directory"))
		}
		dir = child
	}
	return nil
}

// Rename implements FS.
func (c *Crashable) Rename(oldName, newName string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(OpRename, newName); err != nil {
		return pathError("rename", newName, err)
	}
	from, oldBase, err := c.parent(oldName)
	if err != nil {
		return pathError("rename", oldName, err)
	}
	to, newBase, err := c.parent(newName)
	if err != nil {
		return pathError("rename", newName, err)
	}
	n := from.entries[oldBase]
	if n == nil {
		return pathError("rename", oldName, fs.ErrNotExist)
	}
	if target := to.entries[newBase]; target != nil && target.dir {
		return pathError("rename", newName, fs.ErrExist)
	}
	if from == to {
		c.apply(change{to, newBase, n}, change{from, oldBase, nil})
		return nil
	}
	link := c.applyAfter(nil, change{to, newBase, n})
	c.applyAfter([]*dirOp{link}, change{from, oldBase, nil})
	return nil
}

// Link implements FS.
func (c *Crashable) Link(oldName, newName string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(OpLink, newName); err != nil {
		return pathError("link", newName, err)
	}
	n, err := c.lookup(oldName)
	if err != nil || n.dir {
		return pathError("link", oldName, errors.Join(err, fs.ErrInvalid))
	}
	dir, base, err := c.parent(newName)
	if err != nil {
		return pathError("link", newName, err)
	}
	if dir.entries[base] != nil {
		return pathError("link", newName, fs.ErrExist)
	}
	c.apply(change{dir, base, n})
	return nil
}

// Remove implements FS.
func (c *Crashable) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remove(name, false)
}

// RemoveAll implements FS. It is not atomic: every entry is an operation.
func (c *Crashable) RemoveAll(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.remove(name, true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *Crashable) remove(name string, recursive bool) error {
	dir, base, err := c.parent(name)
	if err != nil {
		return pathError("remove", name, err)
	}
	n := dir.entries[base]
	if n == nil {
		return pathError("remove", name, fs.ErrNotExist)
	}
	if n.dir && len(n.entries) > 0 {
		if !recursive {
			return pathError("remove", name, errors.New("directory not empty"))
		}
		for _, child := range sortedNames(n.entries) {
			if err := c.remove(name+"/"+child, true); err != nil {
				return err
			}
		}
	}
	if err := c.begin(OpRemove, name); err != nil {
		return pathError("remove", name, err)
	}
	c.apply(change{dir, base, nil})
	return nil
}

func (c *Crashable) lookup(name string) (*node, error) {
	n := c.root
	for _, part := range splitPath(name) {
		if n = n.entries[part]; n == nil {
			return nil, fs.ErrNotExist
		}
	}
	return n, nil
}

func (c *Crashable) parent(name string) (dir *node, base string, err error) {
	parts := splitPath(name)
	if len(parts) == 0 {
		return nil, "", fs.ErrInvalid
	}
	dir = c.root
	for _, part := range parts[:len(parts)-1] {
		if dir = dir.entries[part]; dir == nil {
			return nil, "", fs.ErrNotExist
		}
	}
	if !dir.dir {
		return nil, "", errors.New("not a directory")
	}
	return dir, parts[len(parts)-1], nil
}
