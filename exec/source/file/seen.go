package file

import (
	"hash/maphash"
	"path"
	"path/filepath"
)

// seenSet remembers which files were taken, in some 40 bytes a file: a 128-bit hash of
// the path and the minute of the modification time.
type seenSet struct {
	a, b     maphash.Seed
	nameOnly bool
	minute   map[[2]uint64]int32
}

func newSeenSet(nameOnly bool) *seenSet {
	return &seenSet{a: maphash.MakeSeed(), b: maphash.MakeSeed(), nameOnly: nameOnly, minute: map[[2]uint64]int32{}}
}

func (s *seenSet) key(file string) [2]uint64 {
	if s.nameOnly {
		file = path.Base(filepath.ToSlash(file))
	}
	return [2]uint64{maphash.String(s.a, file), maphash.String(s.b, file)}
}

func (s *seenSet) has(file string) bool {
	_, ok := s.minute[s.key(file)]
	return ok
}

func (s *seenSet) add(file string, t fileTime) { s.minute[s.key(file)] = int32(t / 60e6) }
