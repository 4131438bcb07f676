package format

import (
	"io"
	"path"
	"strings"
)

// File is an opened input file. R must allow concurrent ReadAt.
type File struct {
	Name string // as positions and messages show it
	R    io.ReaderAt
	Size int64 // bytes as they are stored, compressed or not
}

// ByName finds the format of a file by its extension, compression suffixes removed;
// nil = unknown. formats is the registry's list.
func ByName(formats []*Format, name string) *Format {
	name = strings.ToLower(path.Base(name))
	for _, c := range compressions {
		name = strings.TrimSuffix(name, c.Ext)
	}
	for _, f := range formats {
		for _, ext := range f.Extensions {
			if strings.HasSuffix(name, ext) {
				return f
			}
		}
	}
	return nil
}

// Unsupported says what to do about a format that is well known and not supported; "" for
// all others.
func Unsupported(name string) string {
	if strings.EqualFold(name, "orc") || strings.EqualFold(path.Ext(name), ".orc") {
		return "ORC is not supported, for want of a maintained library in Go: convert the files to Parquet (pyarrow: parquet.write_table(orc.read_table(old), new))"
	}
	return ""
}

// Compression is how a whole file is compressed, as its name tells.
type Compression struct {
	Name string // as options spell it
	Ext  string
}

// compressions are the suffixes known; exec/format/compress reads and writes them.
var compressions = [...]Compression{
	{"gzip", ".gz"}, {"zstd", ".zst"}, {"lz4", ".lz4"}, {"snappy", ".sz"}, {"bzip2", ".bz2"}, {"deflate", ".deflate"},
}

// CompressionOf tells how a file is compressed by its name; ok = false: it is not.
func CompressionOf(name string) (c Compression, ok bool) {
	name = strings.ToLower(name)
	for _, c := range compressions {
		if strings.HasSuffix(name, c.Ext) {
			return c, true
		}
	}
	return Compression{}, false
}
