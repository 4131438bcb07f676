package file

import (
	"hash/maphash"
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

// key hashes directory and name apart: a listing asks for many names of one directory,
// without joining them.
func (s *seenSet) key(dir, name string) [2]uint64 {
	if s.nameOnly {
		dir = ""
	}
	const odd = 0x9e3779b97f4a7c15
	return [2]uint64{
		maphash.String(s.a, name) + odd*maphash.String(s.a, dir),
		maphash.String(s.b, name) + odd*maphash.String(s.b, dir),
	}
}

// hasIn reports whether a file of a directory (an absolute path) was taken.
func (s *seenSet) hasIn(dir, name string) bool {
	_, ok := s.minute[s.key(dir, name)]
	return ok
}

func (s *seenSet) has(file string) bool { return s.hasIn(filepath.Dir(file), filepath.Base(file)) }

func (s *seenSet) add(file string, t fileTime) {
	s.minute[s.key(filepath.Dir(file), filepath.Base(file))] = int32(t / 60e6)
}
