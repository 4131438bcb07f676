package object

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// PartBytes is the size of the parts of a large object.
const PartBytes = 16 << 20

// putLarge writes an object in parts. The condition is looked at once, before: files of
// this size have names of their own (runs of the state, by content).
func putLarge(p place, s *scratch, c Condition) error {
	if c.Absent {
		if _, err := p.b.Head(background(), p.key); err == nil {
			return vfs.ErrConflict
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	id, etags, err := uploadParts(p, s)
	if err != nil {
		return err
	}
	return finish(p, id, etags, s.size)
}

// uploadParts makes the content durable. A failure gives the parts back, as far as that
// still works.
func uploadParts(p place, s *scratch) (id string, etags []string, err error) {
	id, err = p.b.StartUpload(background(), p.key)
	if err != nil {
		return "", nil, err
	}
	for off := int64(0); off < s.size || len(etags) == 0; off += PartBytes {
		body, err := s.bytes(off, min(PartBytes, s.size-off))
		etag := ""
		if err == nil {
			etag, err = p.b.UploadPart(background(), p.key, id, len(etags)+1, body)
		}
		if err != nil {
			_ = p.b.AbortUpload(background(), p.key, id)
			return "", nil, err
		}
		etags = append(etags, etag)
	}
	return id, etags, nil
}

// finish completes an upload. It may have been completed by a try whose answer was lost.
func finish(p place, id string, etags []string, size int64) error {
	err := p.b.FinishUpload(background(), p.key, id, etags)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info, e := p.b.Head(background(), p.key); e == nil && info.Size == size {
		return nil
	}
	return err
}

// stagedFile is a multipart upload in the making.
type stagedFile struct {
	writer
	ticket string
}

// Stage implements vfs.Stager.
func (f *FS) Stage(name string) (vfs.Staged, error) {
	if _, err := f.at(name); err != nil {
		return nil, err
	}
	return &stagedFile{writer: writer{fs: f, name: name, s: &scratch{}, dirty: true}}, nil
}

// emptyTicket is that of a file without content: an upload needs a part.
const emptyTicket = "empty"

// Sync uploads the content, which nobody sees before Reveal.
func (t *stagedFile) Sync() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dirty {
		return nil
	}
	if t.ticket != "" {
		return pathError("sync", t.name, errors.New("a staged file is synced once"))
	}
	if t.s.size == 0 {
		t.ticket, t.dirty = emptyTicket, false
		return nil
	}
	p, err := t.fs.at(t.name)
	if err != nil {
		return err
	}
	id, etags, err := uploadParts(p, t.s)
	if err != nil {
		return pathError("stage", t.name, err)
	}
	t.ticket, t.dirty = strings.Join(append([]string{id}, etags...), " "), false
	return nil
}

func (t *stagedFile) SyncData() error { return t.Sync() }

// Close gives the memory back. What was not synced is given up.
func (t *stagedFile) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.s.free()
	return nil
}

// Ticket implements vfs.Staged.
func (t *stagedFile) Ticket() string { return t.ticket }

// Reveal implements vfs.Stager.
func (f *FS) Reveal(name, ticket string) error {
	p, err := f.at(name)
	if err != nil {
		return err
	}
	words := strings.Fields(ticket)
	switch {
	case ticket == emptyTicket:
		return pathErrorIf("write", name, putBytes(p, nil, Condition{}))
	case len(words) < 2:
		return pathError("reveal", name, fmt.Errorf("%q names no upload", ticket))
	}
	if err := p.b.FinishUpload(background(), p.key, words[0], words[1:]); err != nil {
		return pathError("reveal", name, err)
	}
	return nil
}

// Forget implements vfs.Stager.
func (f *FS) Forget(dir string, match func(name string) bool) error {
	p, err := f.at(dir)
	if err != nil {
		return err
	}
	list, err := p.b.Uploads(background(), p.dir())
	if err != nil {
		return pathError("list uploads", dir, err)
	}
	for _, u := range list {
		name := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(u.Key, p.dir())))
		if !match(name) || mutant.On("uploads of batches that were never logged stay") {
			continue
		}
		if err := p.b.AbortUpload(background(), u.Key, u.ID); err != nil {
			return pathError("forget", path.Join(dir, u.Key), err)
		}
	}
	return nil
}
