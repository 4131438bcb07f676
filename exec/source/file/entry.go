package file

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// fileTime is a modification time in µs since 1970.
type fileTime int64

// never is before every file.
const never fileTime = math.MinInt64

func timeOf(t time.Time) fileTime { return fileTime(t.UnixMicro()) }

func (t fileTime) String() string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02 15:04:05.000000")
}

// found is a file that was listed.
type found struct {
	path string // absolute: its identity
	rel  string // below the root, with slashes: has the partition values
	size int64
	time fileTime
	// version is that of the listing: see vfs.Version.
	version string
}

// entry is a line of the source log: one file that was taken.
type entry struct {
	Path    string   `json:"path"`
	Size    int64    `json:"size"`
	MtimeUs fileTime `json:"mtime_us"`
	BatchID int64    `json:"batchId"`           // the log offset, as Spark numbers it
	Version string   `json:"version,omitempty"` // see vfs.Version
}

// offset is the position in offsets/N, Spark's too.
type offset struct {
	LogOffset *int64 `json:"logOffset"`
}

func encodeRange(at int64, files []entry) (source.Range, error) {
	r := source.Range{Entries: make([]json.RawMessage, len(files))}
	var err error
	if r.Offset, err = json.Marshal(offset{&at}); err != nil {
		return r, err
	}
	for i, e := range files {
		e.Path = vfs.Show(e.Path)
		if r.Entries[i], err = json.Marshal(e); err != nil {
			return r, err
		}
	}
	return r, nil
}

func decodeEntries(r source.Range) ([]entry, error) {
	out := make([]entry, len(r.Entries))
	for i, line := range r.Entries {
		if err := json.Unmarshal(line, &out[i]); err != nil {
			return nil, fmt.Errorf("source log entry %d: %w", i+1, err)
		}
		if out[i].Path == "" {
			return nil, fmt.Errorf("source log entry %d has no path", i+1)
		}
		if _, _, ok := vfs.Scheme(out[i].Path); ok {
			out[i].Path = filepath.Clean(out[i].Path)
		}
	}
	return out, nil
}

// Restore implements source.Source.
func (s *Source) Restore(r source.Range) error {
	files, err := decodeEntries(r)
	if err != nil {
		return s.wrap(err)
	}
	if len(r.Offset) > 0 {
		var at offset
		if err := json.Unmarshal(r.Offset, &at); err != nil || at.LogOffset == nil {
			return s.wrap(fmt.Errorf("offset %s is not that of a file source", r.Offset))
		}
		s.offset = max(s.offset, *at.LogOffset)
	}
	for _, e := range files {
		s.offset = max(s.offset, e.BatchID)
		if err := s.pin(e.Path); err != nil {
			return s.wrap(err)
		}
	}
	s.remember(files)
	if len(files) > 0 { // the last range may have to run again; the one before is committed
		s.cleanUp = append(lastRange(s.cleanUp), files...)
	}
	return nil
}

// lastRange are the files of the newest range among some.
func lastRange(files []entry) []entry {
	i := len(files)
	for i > 0 && files[i-1].BatchID == files[len(files)-1].BatchID {
		i--
	}
	return slices.Clone(files[i:])
}

// remember makes files count as taken.
func (s *Source) remember(files []entry) {
	for _, e := range files {
		s.seen.add(e.Path, e.MtimeUs)
		s.newest = max(s.newest, e.MtimeUs)
		if s.set.inOrder {
			s.list.after = max(s.list.after, e.Path)
		}
	}
	s.newestSeen.Store(int64(s.newest))
	s.recent = append(s.recent, files...)
	s.recent = s.recent[max(0, len(s.recent)-watched):]
}

// Keep implements source.Keeper: entries of files that max_file_age would ignore anyway
// are not needed once their range is committed. With latest_first, age may not count.
func (s *Source) Keep(line json.RawMessage) bool {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil || s.set.latestFirst || e.BatchID >= s.committed.Load() {
		return true
	}
	return s.newestSeen.Load()-int64(e.MtimeUs) <= s.set.maxAgeUs
}
