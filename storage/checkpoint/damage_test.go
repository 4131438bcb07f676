package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlstream/sqlstream/storage/fault"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Every cut and every flip of any log file is found at the start, and the
// message names the file.
func TestDamagedFilesAreNamed(t *testing.T) {
	fsys := vfs.NewCrashable(1)
	c := open(t, fsys, Options{})
	run(t, c, source(t, c, SourceOptions{}), 0, 4)
	must(t, c.Close())
	for _, path := range []string{"/c/offsets/3", "/c/offsets/1", "/c/commits/3", "/c/commits/0", "/c/epoch"} {
		good, err := vfs.ReadFile(fsys, path)
		must(t, err)
		damage := func(bad []byte) {
			t.Helper()
			must(t, vfs.WriteFileAtomic(fsys, path, bad, true))
			_, err := Open(fsys, "/c", Options{})
			var e *fault.Error
			if !errors.As(err, &e) || e.Path != path || e.Hint == "" || e.Why == "" ||
				!errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
				t.Fatalf("%s as %q: %v", path, bad, err)
			}
		}
		for n := range good {
			damage(good[:n])
			bad := bytes.Clone(good)
			bad[n] ^= 4
			damage(bad)
		}
		must(t, vfs.WriteFileAtomic(fsys, path, good, true))
	}
	must(t, open(t, fsys, Options{}).Close())
}

func TestMissingFilesAreNamed(t *testing.T) {
	for path, want := range map[string]string{
		"/c/offsets/2":        "offset log 2 (/c/offsets/2): batches 0 and 3 are there, this one is not",
		"/c/sources/clicks/2": "source log clicks 2 (/c/sources/clicks/2): the offset log says that the batch wrote it",
		"/c/metadata":         "checkpoint metadata (/c/metadata): the directory has offsets/0 but no metadata",
		"/c/epoch":            "checkpoint epoch (/c/epoch): the file is gone",
	} {
		fsys := vfs.NewCrashable(1)
		c := open(t, fsys, Options{})
		run(t, c, source(t, c, SourceOptions{}), 0, 4)
		must(t, c.Close())
		must(t, fsys.Remove(path))
		_, err := Open(fsys, "/c", Options{})
		if !errors.Is(err, ErrMissing) || !strings.HasPrefix(err.Error(), want+"; ") {
			t.Errorf("without %s:\ngot  %v\nwant %s; …", path, err, want)
		}
	}
}

func TestDamagedMetadata(t *testing.T) {
	for content, kind := range map[string]error{"": ErrCorrupt, "{}": ErrCorrupt, `{"id":"x","version":9}`: ErrVersion} {
		fsys := vfs.NewCrashable(1)
		must(t, open(t, fsys, Options{}).Close())
		must(t, vfs.WriteFileAtomic(fsys, "/c/metadata", []byte(content), true))
		if _, err := Open(fsys, "/c", Options{}); !errors.Is(err, kind) || !strings.Contains(err.Error(), "/c/metadata") {
			t.Errorf("metadata %q: %v", content, err)
		}
	}
}

func TestReadOnlyAndFullDisk(t *testing.T) {
	for cause, kind := range map[error]error{
		syscall.EROFS: ErrReadOnly, fs.ErrPermission: ErrReadOnly, syscall.ENOSPC: ErrDiskFull, syscall.EDQUOT: ErrDiskFull,
	} {
		fsys := vfs.NewCrashable(1)
		fail := func(op vfs.Op) error {
			if op.Kind == vfs.OpWrite || op.Kind == vfs.OpCreate || op.Kind == vfs.OpMkdir {
				return cause
			}
			return nil
		}
		fsys.OnOp(fail)
		_, err := Open(fsys, "/c", Options{})
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), "/c") {
			t.Errorf("open with %v: %v", cause, err)
		}
		fsys.OnOp(nil)
		c := open(t, fsys, Options{})
		fsys.OnOp(fail)
		err = c.WriteOffsets(0, nil).Wait(context.Background())
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), "/c/offsets/0") {
			t.Errorf("write with %v: %v", cause, err)
		}
		fsys.OnOp(nil)
		_ = c.Close() // it reports the failure once more
		c = open(t, fsys, Options{})
		must(t, c.WriteOffsets(0, nil).Wait(context.Background()))
		must(t, c.Close())
	}
}
