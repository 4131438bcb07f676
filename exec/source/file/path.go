package file

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// location is what the path option names. Paths are absolute.
type location struct {
	root    string     // the directory to list; for a glob, what precedes the first wildcard
	pattern string     // below root, with slashes; "" = everything
	single  string     // the name of the one file in root; "" = a directory
	store   vfs.Walker // lists root, if that is on an object store; else nil
}

func locate(fsys vfs.FS, dir, text string) (location, error) {
	abs, err := vfs.Abs(dir, text)
	if err != nil {
		return location{}, err
	}
	if vfs.IsWeb(abs) { // its question mark is no wildcard
		_, err := fsys.Stat(abs)
		return location{root: filepath.Dir(abs), single: filepath.Base(abs)}, err
	}
	store := vfs.WalkerOf(fsys, abs)
	if store != nil && strings.HasSuffix(text, "/") && !isGlob(text) {
		return location{root: abs, store: store}, nil // where there are no directories, this one may still be empty
	}
	info, err := fsys.Stat(abs)
	switch {
	case err == nil && info.IsDir():
		return location{root: abs, store: store}, nil
	case err == nil:
		return location{root: filepath.Dir(abs), single: filepath.Base(abs)}, nil
	case !isGlob(text) && !errors.Is(err, fs.ErrNotExist):
		return location{}, err
	case !isGlob(text) && store != nil:
		return location{}, fmt.Errorf("path %s does not exist; for a directory whose files come later, write %s/", text, text)
	case !isGlob(text):
		return location{}, fmt.Errorf("path %s does not exist", text)
	}
	return locateGlob(fsys, dir, text, abs, store)
}

func locateGlob(fsys vfs.FS, dir, text, abs string, store vfs.Walker) (location, error) {
	if !doublestar.ValidatePattern(filepath.ToSlash(abs)) {
		return location{}, fmt.Errorf("%q is not a glob pattern", text)
	}
	base, pattern := doublestar.SplitPattern(filepath.ToSlash(abs))
	root := filepath.FromSlash(base)
	if store != nil {
		return location{root: root, pattern: pattern, store: store}, nil
	}
	if info, err := fsys.Stat(root); err != nil || !info.IsDir() {
		return location{}, fmt.Errorf("directory %s of the path %s does not exist", show(dir, root), text)
	}
	return location{root: root, pattern: pattern}, nil
}

func isGlob(text string) bool { return strings.ContainsAny(text, "*?[{") }

// hidden names are not data: Spark's rule, and ours for files being written.
func hidden(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") && !strings.Contains(name, "=") {
		return true
	}
	switch path.Ext(name) {
	case ".tmp", ".crc", "._COPYING_", ".inprogress":
		return true
	}
	return strings.HasSuffix(name, "._COPYING_")
}
