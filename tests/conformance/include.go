package conformance

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// matching are the files that a pattern with * and ** names, in the order of their paths.
func matching(pattern string) []string {
	if !strings.Contains(pattern, "*") {
		if _, err := os.Stat(pattern); err != nil {
			return nil
		}
		return []string{pattern}
	}
	text := regexp.QuoteMeta(filepath.ToSlash(pattern))
	for _, r := range [][2]string{{`/\*\*/`, `/(?:.*/)?`}, {`\*`, `[^/]*`}} {
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	want := regexp.MustCompile("^" + text + "$")
	var list []string
	root := filepath.Dir(pattern[:strings.Index(pattern, "*")] + "x")
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error { // a folder that is not there has no files
		if err == nil && !e.IsDir() && want.MatchString(filepath.ToSlash(path)) {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// alone are the files that a file includes by a pattern, itself or through what it
// includes: each stands alone, since their order says nothing.
func alone(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte("\ninclude ")) { // some have many megabytes
		return nil
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 2 || f[0] != "include" {
			continue
		}
		pattern := filepath.Join(filepath.Dir(path), f[1])
		for _, found := range matching(pattern) {
			if strings.Contains(pattern, "*") {
				list = append(list, found)
			}
			list = append(list, alone(found)...)
		}
	}
	return list
}
