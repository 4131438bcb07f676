package vfs

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// NewFile is a file to be written whole.
type NewFile struct {
	Path string
	Data []byte
	// Fresh says that the name is given out once: where no lock keeps other writers out,
	// the write fails with ErrConflict if one of them was faster.
	Fresh bool
}

// WriteFileAtomic replaces path by data: readers see the old content or the
// new, never a part. With durable it survives a power loss once the call
// returned; without, a crash leaves the old content, the new, or an empty file.
func WriteFileAtomic(fsys FS, path string, data []byte, durable bool) error {
	if durable {
		return WriteFilesAtomic(fsys, []NewFile{{Path: path, Data: data}})
	}
	if err := stageFile(fsys, NewFile{Path: path, Data: data}, false); err != nil {
		return err
	}
	return fsys.Rename(tempName(path), path)
}

// WriteFilesAtomic writes several files durably. Files of one wave become
// visible in order, and all of them are durable before the first file of the
// next wave is visible. The contents of all waves are synced at the start, in
// one go, since the disk's flushes are what costs.
func WriteFilesAtomic(fsys FS, waves ...[]NewFile) error {
	var all []NewFile
	for _, wave := range waves {
		all = append(all, wave...)
	}
	err := each(fsys, len(all), func(i int) error { return stageFile(fsys, all[i], true) })
	if err != nil {
		return err
	}
	for _, wave := range waves {
		if err := publishWave(fsys, wave); err != nil {
			return err
		}
	}
	return nil
}

func publishWave(fsys FS, wave []NewFile) error {
	for _, f := range wave {
		if err := reveal(fsys, f); err != nil {
			return err
		}
	}
	var dirs []string
	for i, f := range wave {
		if !dirSeen(wave[:i], filepath.Dir(f.Path)) {
			dirs = append(dirs, filepath.Dir(f.Path))
		}
	}
	return each(fsys, len(dirs), func(i int) error { return SyncDir(fsys, dirs[i]) })
}

// reveal gives a staged file its name.
func reveal(fsys FS, f NewFile) error {
	if f.Fresh && !mutant.On("a fresh name replaces another") {
		if s := ShareOf(fsys, f.Path); s != nil {
			return s.RenameNew(tempName(f.Path), f.Path)
		}
	}
	return fsys.Rename(tempName(f.Path), f.Path)
}

// each calls f for 0 to n-1: on the real file system all at once, since a
// journal makes flushes that wait together durable in one write.
func each(fsys FS, n int, f func(i int) error) error {
	if r, ok := fsys.(*Router); ok {
		fsys = r.local
	}
	if _, real := fsys.(osFS); !real || n < 2 {
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func dirSeen(files []NewFile, dir string) bool {
	for _, f := range files {
		if filepath.Dir(f.Path) == dir {
			return true
		}
	}
	return false
}

// stageFile writes the temporary file. A failure removes it, as far as that
// still works: a full disk must not be left fuller.
func stageFile(fsys FS, nf NewFile, durable bool) error {
	tmp := tempName(nf.Path)
	f, err := fsys.Create(tmp)
	if err != nil {
		return err
	}
	_, err = f.Write(nf.Data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = fsys.Remove(tmp) // the first error is the one to report
	}
	return err
}

// tempName is hidden, so that no reader of a data directory takes it.
func tempName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
}

// IsTemp reports whether a file name is one that an interrupted
// WriteFileAtomic leaves behind; its owner may remove it.
func IsTemp(name string) bool {
	return len(name) > 5 && name[0] == '.' && filepath.Ext(name) == ".tmp"
}

// WriteFresh writes a file durably under a name that is given out once: see NewFile.
func WriteFresh(fsys FS, path string, data []byte) error {
	return WriteFilesAtomic(fsys, []NewFile{{Path: path, Data: data, Fresh: true}})
}

// readers is how many files ReadFiles reads at a time.
const readers = 16

// ReadFiles returns the contents of files, read at the same time; nil for one that does
// not exist.
func ReadFiles(fsys FS, names []string) ([][]byte, error) {
	out, errs := make([][]byte, len(names)), make([]error, len(names))
	slots := make(chan struct{}, readers)
	var wg sync.WaitGroup
	for i := range names {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			data, err := ReadFile(fsys, names[i])
			if err == nil {
				out[i] = append([]byte{}, data...)
			} else if !errors.Is(err, fs.ErrNotExist) {
				errs[i] = err
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// ReadFile returns the whole content of a file.
func ReadFile(fsys FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}
