package object

import (
	"errors"
	"io"
	"os"
)

// spillAt is the size from which a file being written moves from memory to a file of the
// machine that has no name.
const spillAt = 8 << 20

// scratch is the content of a file that is, or will be, on the store. The zero value is
// empty. Its users lock.
type scratch struct {
	mem  []byte
	file *os.File // instead of mem, once large
	size int64
}

func (s *scratch) ReadAt(p []byte, off int64) (int, error) {
	if off >= s.size {
		return 0, io.EOF
	}
	n := min(int64(len(p)), s.size-off)
	if s.file == nil {
		copy(p, s.mem[off:off+n])
	} else if _, err := s.file.ReadAt(p[:n], off); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

func (s *scratch) WriteAt(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	if err := s.grow(end); err != nil {
		return 0, err
	}
	if s.file != nil {
		return s.file.WriteAt(p, off)
	}
	return copy(s.mem[off:], p), nil
}

// grow makes the content reach end, with zeros.
func (s *scratch) grow(end int64) error {
	if end <= s.size {
		return nil
	}
	if s.file == nil && end > spillAt {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if s.file != nil {
		if err := s.file.Truncate(end); err != nil {
			return err
		}
	} else {
		s.mem = append(s.mem, make([]byte, end-s.size)...)
	}
	s.size = end
	return nil
}

func (s *scratch) spill() error {
	f, err := os.CreateTemp("", "sqlstream-*")
	if err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // it goes with its last handle; elsewhere Close removes it
	if _, err := f.Write(s.mem); err != nil {
		return errors.Join(err, f.Close())
	}
	s.file, s.mem = f, nil
	return nil
}

func (s *scratch) Truncate(size int64) error {
	if size > s.size {
		return s.grow(size)
	}
	if s.file != nil {
		if err := s.file.Truncate(size); err != nil {
			return err
		}
	} else {
		s.mem = s.mem[:size]
	}
	s.size = size
	return nil
}

// bytes returns a copy of a part.
func (s *scratch) bytes(off, n int64) ([]byte, error) {
	p := make([]byte, n)
	if n == 0 {
		return p, nil
	}
	_, err := s.ReadAt(p, off)
	return p, err
}

func (s *scratch) free() {
	if s.file != nil {
		_ = s.file.Close() // it holds nothing that is needed
		_ = os.Remove(s.file.Name())
	}
	*s = scratch{}
}
