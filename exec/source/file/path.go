package file

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sqlstream/sqlstream/storage/vfs"
)

// location is what the path option names. Paths are absolute.
type location struct {
	root    string // the directory to list; for a glob, what precedes the first wildcard
	pattern string // below root, with slashes; "" = everything
	single  string // the name of the one file in root; "" = a directory
}

func locate(fsys vfs.FS, dir, text string) (location, error) {
	abs, err := absolute(dir, text)
	if err != nil {
		return location{}, err
	}
	info, err := fsys.Stat(abs)
	switch {
	case err == nil && info.IsDir():
		return location{root: abs}, nil
	case err == nil:
		return location{root: filepath.Dir(abs), single: filepath.Base(abs)}, nil
	case !isGlob(text) && !errors.Is(err, fs.ErrNotExist):
		return location{}, err
	case !isGlob(text):
		return location{}, fmt.Errorf("path %s does not exist", text)
	}
	if !doublestar.ValidatePattern(filepath.ToSlash(abs)) {
		return location{}, fmt.Errorf("%q is not a glob pattern", text)
	}
	base, pattern := doublestar.SplitPattern(filepath.ToSlash(abs))
	root := filepath.FromSlash(base)
	if info, err := fsys.Stat(root); err != nil || !info.IsDir() {
		return location{}, fmt.Errorf("directory %s of the path %s does not exist", show(dir, root), text)
	}
	return location{root: root, pattern: pattern}, nil
}

// absolute resolves a path or a file: URI against dir.
func absolute(dir, text string) (string, error) {
	if strings.HasPrefix(text, "file:") {
		u, err := url.Parse(text)
		if err != nil || u.Host != "" {
			return "", fmt.Errorf("%q is not a file URI", text)
		}
		text = filepath.FromSlash(u.Path)
	} else if scheme, _, ok := strings.Cut(text, "://"); ok && !strings.ContainsAny(scheme, `/\`) {
		return "", fmt.Errorf("path %s: the file source reads local files, not %s://", text, scheme)
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(dir, text)
	}
	return filepath.Abs(text)
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
