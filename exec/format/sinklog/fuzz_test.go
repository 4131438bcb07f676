package sinklog_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format/sinklog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Whatever a log file holds, reading it gives files inside the directory or says that
// the log is corrupt.
func FuzzRead(f *testing.F) {
	f.Add([]byte("v1\n" + `{"path":"file:///o/a=b/c.parquet","size":1,"isDir":false,"modificationTime":1,"action":"add"}`))
	f.Add([]byte("v1\n" + `{"path":"%zz","action":"add"}`))
	f.Add([]byte("v1\n" + `{"name":"/etc/passwd","action":"add"}`))
	f.Add([]byte("v1\n\n\n[]"))
	f.Add([]byte("v2"))
	f.Fuzz(func(t *testing.T, text []byte) {
		disk := vfs.NewCrashable(1)
		if err := disk.MkdirAll("/o/_spark_metadata"); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(disk, "/o/_spark_metadata/0", text, false); err != nil {
			t.Fatal(err)
		}
		files, _, err := sinklog.Open(disk, "/o").Files()
		if err != nil && !errors.Is(err, sinklog.ErrCorrupt) {
			t.Fatal(err)
		}
		for _, file := range files {
			if !filepath.IsLocal(filepath.FromSlash(file.Name)) {
				t.Fatalf("%q leads out of the directory", file.Name)
			}
		}
	})
}
