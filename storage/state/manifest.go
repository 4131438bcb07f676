package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/textlog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// manifest names the runs that make up the state as of a batch. It is never
// changed: a merge writes the next one.
type manifest struct {
	Number  int64               `json:"number"` // from 1; 0 is no manifest
	Version int                 `json:"version"`
	Epoch   uint64              `json:"epoch"`
	Batch   int64               `json:"batch"` // the last one in the runs
	Seq     uint64              `json:"seq"`   // of that batch in the log
	Ops     map[string][]runRef `json:"ops"`   // of an operator, the oldest first
}

// runRef refers to a run file: one level of an operator's stack.
type runRef struct {
	File    string `json:"file"`
	Lo      int64  `json:"lo"` // first and last batch merged into it
	Hi      int64  `json:"hi"`
	Bytes   int64  `json:"bytes"`
	Entries int64  `json:"entries"`
}

const manifestPrefix = "MANIFEST-"

func manifestName(n int64) string { return manifestPrefix + strconv.FormatInt(n, 10) }

func (m *manifest) bytes() (total int64) {
	for _, stack := range m.Ops {
		for _, r := range stack {
			total += r.Bytes
		}
	}
	return total
}

// next returns a copy to change, with the following number.
func (m *manifest) next(epoch uint64) manifest {
	n := manifest{Number: m.Number + 1, Version: FormatVersion, Epoch: epoch, Batch: m.Batch, Seq: m.Seq,
		Ops: make(map[string][]runRef, len(m.Ops))}
	for op, stack := range m.Ops {
		n.Ops[op] = slices.Clone(stack)
	}
	return n
}

// readManifests loads the newest manifest and, if it is still there and
// good, the one before.
func (s *Store) readManifests() error {
	numbers, err := s.manifestNumbers()
	if err != nil || len(numbers) == 0 {
		return err
	}
	newest := numbers[len(numbers)-1]
	s.man, err = s.readManifest(newest)
	if err != nil {
		return s.manifestHint(err, numbers)
	}
	if len(numbers) > 1 {
		if older, err := s.readManifest(numbers[len(numbers)-2]); err == nil {
			s.olderMan = &older
		}
	}
	return nil
}

func (s *Store) manifestNumbers() ([]int64, error) {
	list, err := s.fs.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.IO("state store", s.dir, err)
	}
	if err != nil {
		return nil, err
	}
	var numbers []int64
	for _, e := range list {
		digits, ok := strings.CutPrefix(e.Name(), manifestPrefix)
		if n, err := strconv.ParseInt(digits, 10, 64); ok && err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func (s *Store) readManifest(n int64) (manifest, error) {
	path := filepath.Join(s.dir, manifestName(n))
	what := "state manifest " + strconv.FormatInt(n, 10)
	data, err := vfs.ReadFile(s.fs, path)
	if err != nil {
		return manifest{}, fault.IO(what, path, err)
	}
	lines, err := textlog.Decode(data)
	if err != nil {
		return manifest{}, textlog.Describe(what, path, fault.NoBatch, err, restoreHint)
	}
	var m manifest
	if len(lines) != 1 || json.Unmarshal(lines[0], &m) != nil || m.Number != n {
		return manifest{}, fault.Corrupt(what, path, fault.NoBatch, "it is not a manifest of that number", restoreHint)
	}
	if m.Version > FormatVersion {
		return manifest{}, &fault.Error{Kind: fault.ErrVersion, What: what, Path: path, Batch: fault.NoBatch,
			Why:  fmt.Sprintf("it has format %d, this program reads up to %d", m.Version, FormatVersion),
			Hint: "use the version of the program that wrote it, or a newer one"}
	}
	return m, nil
}

// manifestHint offers the manifest before a damaged one: its runs and the log
// from there on are still kept.
func (s *Store) manifestHint(err error, numbers []int64) error {
	var e *fault.Error
	if !errors.As(err, &e) || !errors.Is(err, fault.ErrCorrupt) || len(numbers) < 2 {
		return err
	}
	damaged, before := numbers[len(numbers)-1], numbers[len(numbers)-2]
	e.Hint = fmt.Sprintf("remove %s to go on from %s, which is still complete", manifestName(damaged), manifestName(before))
	return e
}

// install makes m the manifest: once it is durable, it and the one before
// decide what is kept. The lock is not held.
func (s *Store) install(m manifest) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if mutant.On("early-log-delete") {
		if err := s.removeSegments(m.Seq); err != nil {
			return err
		}
	}
	path := filepath.Join(s.dir, manifestName(m.Number))
	if err := vfs.WriteFresh(s.fs, path, textlog.Encode(line)); err != nil {
		return fault.IO("state manifest "+strconv.FormatInt(m.Number, 10), path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.man.Number > 0 {
		older := s.man
		s.olderMan = &older
	}
	for _, r := range s.recordsBetween(s.man.Batch, m.Batch) {
		s.logBytes -= r.size()
	}
	s.man = m
	return nil
}

// floor is the sequence up to which the kept manifests need no log.
func (s *Store) floor() uint64 {
	if s.olderMan != nil {
		return min(s.man.Seq, s.olderMan.Seq)
	}
	return s.man.Seq
}

// removeObsolete removes what neither of the kept manifests names. They are
// durable by now.
func (s *Store) removeObsolete() error {
	if !mutant.On("files are removed by a process that was replaced") {
		if err := vfs.Confirm(s.fs, s.logDir()); err != nil {
			return err
		}
	}
	s.files.Lock()
	defer s.files.Unlock()
	s.mu.Lock()
	floor, kept := s.floor(), s.keptFiles()
	s.mu.Unlock()
	if err := s.removeSegments(floor); err != nil {
		return err
	}
	if err := s.removeRuns(kept); err != nil {
		return err
	}
	list, err := s.fs.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if s.obsolete(e.Name(), kept) {
			if err := s.fs.Remove(filepath.Join(s.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// obsolete reports a manifest before those that are kept, or a temporary file. A later
// manifest is that of a run which has taken over.
func (s *Store) obsolete(name string, kept map[string]bool) bool {
	digits, ok := strings.CutPrefix(name, manifestPrefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	return vfs.IsTemp(name) || ok && err == nil && !kept[name] && n < s.man.Number
}

// keptFiles are the names, relative to the state directory, of manifests and
// runs that must stay.
func (s *Store) keptFiles() map[string]bool {
	kept := map[string]bool{}
	for _, m := range []*manifest{&s.man, s.olderMan} {
		if m == nil {
			continue
		}
		kept[manifestName(m.Number)] = true
		for op, stack := range m.Ops {
			for _, r := range stack {
				kept[filepath.Join("runs", op, r.File)] = true
			}
		}
	}
	return kept
}

// removeSegments removes the log files whose batches up to seq all are in
// runs.
func (s *Store) removeSegments(seq uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.segments) > 1 && s.segments[1].header.firstSeq <= seq+1 {
		seg := s.segments[0]
		if err := errors.Join(seg.file.Close(), s.fs.Remove(seg.path)); err != nil {
			return fault.IO("state log", seg.path, err)
		}
		s.segments = s.segments[1:]
		for len(s.records) > 0 && s.records[0].segment == seg {
			s.records = s.records[1:]
		}
	}
	return nil
}

func (s *Store) removeRuns(kept map[string]bool) error {
	ops, err := s.fs.ReadDir(s.runDir())
	if err != nil {
		return err
	}
	for _, op := range ops {
		dir := filepath.Join(s.runDir(), op.Name())
		list, err := s.fs.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range list {
			if kept[filepath.Join("runs", op.Name(), e.Name())] || runEpoch(e.Name()) > s.epoch {
				continue // a later run that has taken over may need it
			}
			if err := s.fs.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
