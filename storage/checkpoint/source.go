package checkpoint

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

// compactEvery is the base of the compaction: batch n with (n+1) divisible by
// 10^k is followed by a file with the last 10^k batches. So there are at most
// nine files of each size, and an entry is rewritten once per size.
const compactEvery = 10

const (
	compactSuffix = ".compact"
	epochSuffix   = ".e"
)

// SourceOptions say how long the entries of a source are kept.
type SourceOptions struct {
	// Transient entries go when their batch is purged: rows that were pushed
	// to us, for instance. Others are kept for ever, in compacted files.
	Transient bool
	// Keep, if set, is asked during a compaction whether an entry is still of
	// use. It is called from another goroutine.
	Keep func(batch int64, line []byte) bool
}

// SourceLog is the log of what batches took from one source.
type SourceLog struct {
	*sourceLog
	c *Checkpoint
}

type sourceLog struct {
	name string
	dir  string
	opt  SourceOptions
}

// Source returns the log of the source with that name. Declare every source
// before the first WriteOffsets.
func (c *Checkpoint) Source(name string, opt SourceOptions) (*SourceLog, error) {
	taken := slices.ContainsFunc(c.sources, func(l *sourceLog) bool { return l.name == name })
	if name == "" || taken {
		return nil, fmt.Errorf("checkpoint: source name %q is empty or taken", name)
	}
	l := &sourceLog{name: name, dir: c.path("sources", escape(name)), opt: opt}
	c.sources = append(c.sources, l)
	if c.opt.ReadOnly {
		return &SourceLog{l, c}, nil
	}
	if err := vfs.MkdirAllSync(c.fs, l.dir); err != nil {
		return nil, fault.IO("source log "+name, l.dir, err)
	}
	return &SourceLog{l, c}, nil
}

// escape makes any name a file name on every system.
func escape(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if letter || c >= '0' && c <= '9' || c == '_' || c == '-' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

func (l *sourceLog) path(s span) string { return filepath.Join(l.dir, s.name()) }

// span is a file of a source log: of one batch, or compacted of several.
type span struct {
	from, to int64
	compact  bool
	epoch    uint64 // see head.Epoch
}

func (s span) name() string {
	name := strconv.FormatInt(s.to, 10)
	switch {
	case s.compact:
		name += compactSuffix
	case s.epoch > 0:
		name += epochSuffix + strconv.FormatUint(s.epoch, 10)
	}
	return name
}

// parseSpan reads the name of a file; others are not of the log.
func parseSpan(name string) (s span, ok bool) {
	base, compact := strings.CutSuffix(name, compactSuffix)
	base, epoch, single := strings.Cut(base, epochSuffix)
	n, err := strconv.ParseInt(base, 10, 64)
	if err != nil || n < 0 {
		return s, false
	}
	s = span{from: n, to: n, compact: compact}
	if compact {
		s.from = n + 1 - width(n)
	} else if single {
		s.epoch, err = strconv.ParseUint(epoch, 10, 64)
	}
	return s, err == nil
}

// written reports whether a file belongs to its batch: the offsets of the batch name the
// epoch. One of another epoch was left by a process that died before its offsets were
// durable.
func (c *Checkpoint) written(s span) bool {
	c.writer.mu.Lock()
	defer c.writer.mu.Unlock()
	epoch, known := c.epochs[s.to]
	return s.compact || !known || epoch == s.epoch || mutant.On("source files of another epoch count")
}

// compactHead is the first line of a compacted file.
type compactHead struct {
	From    int64      `json:"from"`
	To      int64      `json:"to"`
	Batches [][2]int64 `json:"batches"` // batch and its number of lines
}

// spans returns the files that make up the log, in order, and those that a
// compacted one replaces, or that belong to no batch.
func (c *Checkpoint) spans(l *sourceLog) (live, replaced []span, err error) {
	list, err := c.listSource(l)
	if err != nil {
		return nil, nil, fault.IO("source log "+l.name, l.dir, err)
	}
	var all []span
	for _, e := range list {
		switch s, ok := parseSpan(e.Name()); {
		case !ok:
		case !c.written(s):
			replaced = append(replaced, s)
		default:
			all = append(all, s)
		}
	}
	// A wider file comes first, so what it covers is seen after it.
	slices.SortFunc(all, func(a, b span) int {
		if a.from != b.from {
			return int(a.from - b.from)
		}
		return int(b.to - a.to + 2*btoi(b.compact) - 2*btoi(a.compact))
	})
	covered := int64(-1)
	for _, s := range all {
		if s.from <= covered {
			replaced = append(replaced, s)
			continue
		}
		live = append(live, s)
		covered = s.to
	}
	return live, replaced, nil
}

// listSource lists the directory of a source; while the logs are read, once.
func (c *Checkpoint) listSource(l *sourceLog) ([]fs.DirEntry, error) {
	if list, ok := c.listed[l.dir]; ok {
		return list, nil
	}
	list, err := c.fs.ReadDir(l.dir)
	if err == nil && c.listed != nil {
		c.listed[l.dir] = list
	}
	return list, err
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// width is the number of batches that the compacted file after batch n holds.
func width(n int64) int64 {
	w := int64(1)
	for (n+1)%(w*compactEvery) == 0 {
		w *= compactEvery
	}
	return w
}

// Entries gives f every kept entry in the order of the batches, up to the
// last batch with offsets. The line is valid during the call only.
func (l *SourceLog) Entries(f func(batch int64, line []byte) error) error {
	live, _, err := l.c.spans(l.sourceLog)
	if err != nil {
		return err
	}
	last := l.c.LastOffsets()
	for _, s := range live {
		if s.to > last {
			break
		}
		if err := l.readSpan(l.c.fs, s, f); err != nil {
			return err
		}
	}
	return nil
}

// Batch returns what one of the kept batches took.
func (l *SourceLog) Batch(n int64) ([][]byte, error) {
	var lines [][]byte
	live, _, err := l.c.spans(l.sourceLog)
	if err != nil {
		return nil, err
	}
	for _, s := range live {
		if n < s.from || n > s.to {
			continue
		}
		err = l.readSpan(l.c.fs, s, func(batch int64, line []byte) error {
			if batch == n {
				lines = append(lines, line)
			}
			return nil
		})
	}
	return lines, err
}

func (l *sourceLog) readSpan(fsys vfs.FS, s span, f func(batch int64, line []byte) error) error {
	path := l.path(s)
	what := fmt.Sprintf("source log %s %s", l.name, s.name())
	data, err := vfs.ReadFile(fsys, path)
	if err != nil {
		return fault.IO(what, path, err)
	}
	lines, err := textlog.Decode(data)
	if err != nil {
		return textlog.Describe(what, path, s.to, err, logHint)
	}
	if !s.compact {
		return eachLine(s.to, lines, f)
	}
	var h compactHead
	if len(lines) == 0 || json.Unmarshal(lines[0], &h) != nil || h.To != s.to || h.From != s.from {
		return fault.Corrupt(what, path, s.to, "its first line is not as written", logHint)
	}
	rest := lines[1:]
	for _, b := range h.Batches {
		n := min(int(b[1]), len(rest))
		if err := eachLine(b[0], rest[:n], f); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

func eachLine(batch int64, lines [][]byte, f func(batch int64, line []byte) error) error {
	for _, line := range lines {
		if err := f(batch, line); err != nil {
			return err
		}
	}
	return nil
}

// checkTaken checks that the source files that batch n wrote are still there.
func (c *Checkpoint) checkTaken(n int64, h head) error {
	for _, name := range h.Sources {
		l := &sourceLog{name: name, dir: c.path("sources", escape(name))}
		live, _, err := c.spans(l)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(live, func(s span) bool { return s.from <= n && n <= s.to }) {
			return &fault.Error{Kind: fault.ErrMissing, What: fmt.Sprintf("source log %s %d", name, n), Path: l.path(span{to: n, epoch: h.Epoch}), Batch: n,
				Why: "the offset log says that the batch wrote it", Hint: logHint}
		}
	}
	return nil
}

// cleanSources removes what a crash left: files of a batch whose offsets did
// not survive, durably, since the number is given out again; and what a
// compacted file replaces.
func (c *Checkpoint) cleanSources() error {
	dirs, err := c.fs.ReadDir(c.path("sources"))
	if err != nil {
		return err
	}
	for _, d := range dirs {
		l := &sourceLog{name: d.Name(), dir: c.path("sources", d.Name())}
		if err := removeTemps(c.fs, l.dir); err != nil {
			return err
		}
		live, replaced, err := c.spans(l)
		if err != nil {
			return err
		}
		stale := slices.DeleteFunc(live, func(s span) bool { return s.to <= c.offsets.last })
		stale = append(stale, replaced...)
		if c.Contended() {
			// The offsets of the dead process may still be on their way: what they name
			// must be there. A compaction removes the files of a batch that has others.
			stale = slices.DeleteFunc(stale, func(s span) bool { return s.to > c.offsets.last })
		}
		if err := l.remove(c.fs, stale); err != nil {
			return err
		}
		if err := vfs.SyncDir(c.fs, l.dir); err != nil {
			return err
		}
	}
	return nil
}

func (l *sourceLog) remove(fsys vfs.FS, spans []span) error {
	if shared := vfs.ShareOf(fsys, l.dir); shared != nil && len(spans) > 0 {
		names := make([]string, len(spans))
		for i, s := range spans {
			names[i] = l.path(s)
		}
		return fault.IO("source log "+l.name, l.dir, shared.RemoveMany(names))
	}
	for _, s := range spans {
		path := l.path(s)
		if err := fsys.Remove(path); err != nil {
			return fault.IO("source log "+l.name, path, err)
		}
	}
	return nil
}

// tidySources purges transient entries below oldest and compacts the others
// when batch n, now durable, calls for it.
func (c *Checkpoint) tidySources(n, oldest int64) error {
	var errs []error
	for _, l := range c.sources {
		if l.opt.Transient {
			errs = append(errs, c.purge(l, oldest))
		} else if width(n) > 1 {
			errs = append(errs, c.compactUpTo(l, n))
		}
	}
	return errors.Join(errs...)
}

func (c *Checkpoint) purge(l *sourceLog, oldest int64) error {
	live, _, err := c.spans(l)
	if err != nil {
		return err
	}
	return l.remove(c.fs, slices.DeleteFunc(live, func(s span) bool { return s.to >= oldest }))
}

// compactUpTo writes n.compact and removes the files that it replaces.
func (c *Checkpoint) compactUpTo(l *sourceLog, n int64) error {
	live, foreign, err := c.spans(l)
	if err != nil {
		return err
	}
	h := compactHead{From: n + 1 - width(n), To: n}
	covered := slices.DeleteFunc(live, func(s span) bool { return s.from < h.From || s.to > n })
	if len(covered) == 0 {
		return nil
	}
	lines := [][]byte{nil}
	for _, s := range covered {
		err := l.readSpan(c.fs, s, func(batch int64, line []byte) error {
			if l.opt.Keep != nil && !l.opt.Keep(batch, line) {
				return nil
			}
			if k := len(h.Batches); k == 0 || h.Batches[k-1][0] != batch {
				h.Batches = append(h.Batches, [2]int64{batch, 0})
			}
			h.Batches[len(h.Batches)-1][1]++
			lines = append(lines, line)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if lines[0], err = json.Marshal(h); err != nil {
		return err
	}
	path := l.path(span{to: n, compact: true})
	if err := vfs.WriteFileAtomic(c.fs, path, textlog.Encode(lines...), true); err != nil {
		return fault.IO("source log "+l.name, path, err)
	}
	covered = append(covered, slices.DeleteFunc(foreign, func(s span) bool { return s.from < h.From || s.to > n })...)
	return l.remove(c.fs, slices.DeleteFunc(covered, func(s span) bool { return s.compact && s.to == n }))
}
