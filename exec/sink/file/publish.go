package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// none is the marker of a sink that holds nothing of the query.
var none = sink.Marker{ID: -1}

// Marker implements sink.Sink. It reads the whole log: the next compaction, and every
// reader, would stumble over a damaged part.
func (s *Sink) Marker(context.Context) (sink.Marker, error) {
	ix, err := s.log.Index()
	if err == nil {
		_, _, err = s.log.Files()
	}
	if err != nil {
		return sink.Marker{}, s.wrap(err)
	}
	owner, owned, err := s.log.Owner()
	switch {
	case err != nil:
		return sink.Marker{}, s.wrap(err)
	case owned && owner.QueryID == s.cfg.QueryID:
		m, err := s.marker(owner, ix.Last)
		return m, s.wrap(err)
	case s.cfg.Adopt:
		return none, nil
	case owned:
		return sink.Marker{}, s.wrap(s.foreign(owner))
	case ix.Last >= 0:
		return sink.Marker{}, s.wrap(s.unowned())
	}
	return none, s.wrap(s.refuseStrangers())
}

func (s *Sink) foreign(o sinklog.Owner) error {
	if o.Query == s.cfg.Query {
		return fmt.Errorf("directory %s was written with another checkpoint of query %q (id %s, not %s); restore that checkpoint, "+
			"empty the directory to begin anew, or set adopt_sink = true to add rows to those that are there",
			s.path, o.Query, o.QueryID, s.cfg.QueryID)
	}
	return fmt.Errorf("directory %s belongs to query %q (id %s), not to %q (id %s); choose another directory, "+
		"or set adopt_sink = true to go on after its last batch", s.path, o.Query, o.QueryID, s.cfg.Query, s.cfg.QueryID)
}

func (s *Sink) unowned() error {
	return fmt.Errorf("directory %s has a log of batches (%s) that names no query as its owner, as Spark writes it; "+
		"choose another directory, or set adopt_sink = true to go on after its last batch", s.path, sinklog.Dir)
}

// marker maps the newest batch of the log to the query's numbers. Right after a
// take-over that is the batch before the first one of ours.
func (s *Sink) marker(o sinklog.Owner, last int64) (sink.Marker, error) {
	m := sink.Marker{ID: o.BatchID(last)}
	m.OK = m.ID >= 0
	if !m.OK || last < o.FirstLog {
		return m, nil
	}
	var err error
	m.Digest, err = s.digest(last, m.ID)
	return m, err
}

// digest is that of the payload of a batch in the log.
func (s *Sink) digest(logID, batch int64) (string, error) {
	files, ok, err := s.log.Batch(logID)
	if err != nil || !ok {
		return "", err
	}
	for _, f := range files {
		if f.Log == logID {
			return f.Digest, nil
		}
	}
	return sink.Digest(emptyPayload(batch)), nil
}

// refuseStrangers fails when the directory holds data files although it has no log:
// readers of the directory would mix them with ours.
func (s *Sink) refuseStrangers() error {
	name, err := s.stranger("")
	if err != nil || name == "" {
		return err
	}
	return fmt.Errorf("directory %s holds files that no query wrote (%s); choose an empty directory, "+
		"or set adopt_sink = true to write beside them", s.path, name)
}

// stranger finds a file that a reader of the directory would take.
func (s *Sink) stranger(dir string) (string, error) {
	entries, err := s.cfg.FS.ReadDir(s.abs(dir))
	if isMissing(err) {
		return "", nil
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_"):
		case !e.IsDir():
			return name, nil
		default:
			if found, err := s.stranger(name); found != "" || err != nil {
				return found, err
			}
		}
	}
	return "", err
}

// Publish implements sink.Sink.
func (s *Sink) Publish(_ context.Context, b sink.Batch, text []byte) error {
	err := s.publish(b, text)
	if errors.Is(err, sinklog.ErrExists) && s.stager != nil {
		err = s.publish(b, text) // by a request of a dead process that arrived only now
	}
	return s.wrap(err)
}

func (s *Sink) publish(b sink.Batch, text []byte) error {
	p, err := decodePayload(b, text)
	if err != nil {
		return err
	}
	ix, err := s.log.Index()
	if err != nil {
		return err
	}
	if err := s.claim(b, ix.Last); err != nil {
		return err
	}
	id := s.owner.LogID(b.ID)
	if id <= ix.Last && !mutant.On("no-sink-dedup") {
		done, err := s.already(b, id, ix.Last, text)
		if err != nil {
			return err
		}
		if done { // by a process that may have died before its entry was durable
			if err := vfs.SyncDir(s.cfg.FS, s.log.Path()); err != nil {
				return err
			}
			return s.tidy(b.ID)
		}
		id = s.owner.LogID(b.ID)
	}
	if mutant.On("no-sink-dedup") {
		id = ix.Last + 1
	}
	if id > ix.Last+1 {
		return fmt.Errorf("batch %d cannot follow batch %d, the last one in %s", b.ID, s.owner.BatchID(ix.Last), s.log.Path())
	}
	files, err := s.rename(p, sink.Digest(text))
	if err != nil {
		return err
	}
	if !sinklog.Compacts(id) && slices.ContainsFunc(files, func(f sinklog.File) bool { return f.Replaces != nil }) {
		return fmt.Errorf("batch %d was staged with merged files for another place in the log; the batch must be computed again (RESUME QUERY … RECOMPUTE)", b.ID)
	}
	if err := s.log.AppendKeeping(id, files, s.cfg.Clock.Now(), s.keep(files)); err != nil {
		return err
	}
	return s.tidy(b.ID)
}

// tidy removes what nobody needs after a batch is published.
func (s *Sink) tidy(batch int64) error {
	if err := s.sweep(batch); err != nil {
		return err
	}
	return s.bury()
}

func decodePayload(b sink.Batch, text []byte) (payload, error) {
	var p payload
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("payload of batch %d: %w", b.ID, err)
	}
	if p.Batch != b.ID {
		return p, fmt.Errorf("payload of batch %d was given for batch %d", p.Batch, b.ID)
	}
	for _, f := range p.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || !strings.HasPrefix(path.Clean(f.Staged), stagingDir+"/") {
			return p, fmt.Errorf("payload of batch %d: file %q → %q is not in the output directory", b.ID, f.Staged, f.Name)
		}
	}
	return p, nil
}

// claim makes sure that the log names us as its owner, with our epoch. A newer epoch
// is another process on the same checkpoint: this one must stop.
func (s *Sink) claim(b sink.Batch, last int64) error {
	owner, ok, err := s.log.Owner()
	switch {
	case err != nil:
		return err
	case ok && owner.QueryID == s.cfg.QueryID && owner.Epoch > b.Epoch:
		return sink.Fenced("directory %s was taken over by a newer run of the query (epoch %d, this is %d)", s.path, owner.Epoch, b.Epoch)
	case ok && owner.QueryID == s.cfg.QueryID && owner.Epoch == b.Epoch:
		s.owner = owner
		return nil
	case ok && owner.QueryID == s.cfg.QueryID:
		owner.Epoch, owner.Query = b.Epoch, s.cfg.Query
	case ok && !s.cfg.Adopt:
		return s.foreign(owner)
	case !ok && last >= 0 && !s.cfg.Adopt:
		return s.unowned()
	default:
		owner = s.next(b, last)
	}
	return s.own(owner)
}

// next is the owner from batch b on, which becomes the one after the last in the log.
func (s *Sink) next(b sink.Batch, last int64) sinklog.Owner {
	return sinklog.Owner{QueryID: s.cfg.QueryID, Query: s.cfg.Query, Epoch: b.Epoch, FirstBatch: b.ID, FirstLog: last + 1}
}

func (s *Sink) own(o sinklog.Owner) error {
	if err := s.log.SetOwner(o); err != nil {
		return err
	}
	s.owner = o
	return nil
}

// already decides on a batch whose number the log has: the same payload is done; with
// adopt_sink another one is published after the last, since an older checkpoint was
// restored on purpose; else it is refused.
func (s *Sink) already(b sink.Batch, id, last int64, text []byte) (done bool, err error) {
	have, err := s.digest(id, b.ID)
	if err != nil {
		return false, err
	}
	switch {
	case have == sink.Digest(text):
		return true, nil
	case s.cfg.Adopt:
		return false, s.own(s.next(b, last))
	}
	return false, fmt.Errorf("directory %s has another batch %d than this one: an older checkpoint was restored; "+
		"use the checkpoint that wrote it, or set adopt_sink = true to go on after its last batch", s.path, b.ID)
}

// rename gives the files their names, durably. After a crash some have them already.
func (s *Sink) rename(p payload, digest string) ([]sinklog.File, error) {
	files := make([]sinklog.File, 0, len(p.Files))
	dirs := map[string]bool{}
	for _, f := range p.Files {
		dir := filepath.Dir(s.abs(f.Name))
		if !dirs[dir] {
			if err := s.dirs.Make(dir); err != nil {
				return nil, err
			}
			dirs[dir] = true
		}
		when, err := s.move(p.Batch, f)
		if err != nil {
			return nil, err
		}
		if f.Replaces != nil {
			when = time.UnixMilli(f.Newest)
		}
		files = append(files, sinklog.File{Name: f.Name, Size: f.Size, Mtime: when, Rows: f.Rows, Batch: p.Batch, Digest: digest, Replaces: f.Replaces})
	}
	for dir := range dirs {
		if err := vfs.SyncDir(s.cfg.FS, dir); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// show gives a staged file its name. An error of what does not exist: it has it already,
// or is lost.
func (s *Sink) show(f staged, to string) error {
	switch {
	case f.Ticket == "":
		return s.cfg.FS.Rename(s.abs(f.Staged), to)
	case s.stager == nil:
		return fmt.Errorf("file %s was staged on an object store, and %s is on none", f.Name, s.path)
	}
	return s.stager.Reveal(to, f.Ticket)
}

func (s *Sink) move(batch int64, f staged) (time.Time, error) {
	to := s.abs(f.Name)
	err := s.show(f, to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, err
	}
	info, err := s.cfg.FS.Stat(to)
	if isMissing(err) {
		return time.Time{}, fmt.Errorf("file %s, staged for batch %d, is gone; the batch must be computed again (RESUME QUERY … RECOMPUTE)", f.Staged, batch)
	}
	if err != nil {
		return time.Time{}, err
	}
	if info.Size() != f.Size {
		return time.Time{}, fmt.Errorf("file %s of batch %d has %d bytes, expected %d", f.Name, batch, info.Size(), f.Size)
	}
	return info.ModTime(), nil
}

// sweep removes what was staged up to a batch that is published: batches are published
// in order.
func (s *Sink) sweep(batch int64) error {
	if s.stager != nil {
		return nil // revealing leaves nothing behind
	}
	return s.removeStaged(sink.Batch{ID: batch}, func(n int64) bool { return n <= batch })
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
