package crash

import (
	"io/fs"
	"strings"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// disk is the machine's file system, of which the input directories are another disk:
// they belong to somebody else, are never lost, and count no operations.
type disk struct {
	vfs.FS
	inputs map[string]*inbox // by directory
}

// inbox is an input directory. Files arrive in a fixed order, so that each has the same
// modification time in every life.
type inbox struct {
	fs      *vfs.Crashable
	dir     string
	files   []file
	arrived int
}

func newInbox(dir string, files []file) (*inbox, error) {
	b := &inbox{fs: vfs.NewCrashable(1), dir: dir, files: files}
	return b, b.fs.MkdirAll(dir)
}

// arrive makes the first n files be there.
func (b *inbox) arrive(n int) error {
	for ; b.arrived < min(n, len(b.files)); b.arrived++ {
		f, err := b.fs.Create(b.dir + "/" + b.files[b.arrived].name)
		if err != nil {
			return err
		}
		if _, err := f.Write(b.files[b.arrived].text()); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) of(name string) vfs.FS {
	for dir, b := range d.inputs {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return b.fs
		}
	}
	return d.FS
}

func (d *disk) Open(name string) (vfs.File, error)         { return d.of(name).Open(name) }
func (d *disk) Stat(name string) (fs.FileInfo, error)      { return d.of(name).Stat(name) }
func (d *disk) ReadDir(name string) ([]fs.DirEntry, error) { return d.of(name).ReadDir(name) }
