// Package compress owns whole-file compression of text formats: choosing the codec by
// name, reading and writing. Parquet compresses its pages itself and does not come
// here. Open this file first.
package compress

import (
	"compress/bzip2"
	"compress/zlib"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
)

// Open gives the uncompressed bytes of a file whose name says how it is compressed.
func Open(f format.File) (io.ReadCloser, error) {
	c, ok := format.CompressionOf(f.Name)
	src := io.NewSectionReader(f.R, 0, f.Size)
	if !ok {
		return io.NopCloser(src), nil
	}
	r, err := reader(c.Name, src)
	if err != nil {
		return nil, &format.FileError{File: f.Name, Err: fmt.Errorf("not a %s file: %w", c.Name, err)}
	}
	return r, nil
}

func reader(codec string, src io.Reader) (io.ReadCloser, error) {
	switch codec {
	case "gzip":
		return gzip.NewReader(src)
	case "zstd":
		d, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case "lz4":
		return io.NopCloser(lz4.NewReader(src)), nil
	case "snappy":
		return io.NopCloser(snappy.NewReader(src)), nil
	case "bzip2":
		return io.NopCloser(bzip2.NewReader(src)), nil
	}
	return zlib.NewReader(src)
}

// Option is the option by which text formats are told how to compress their files.
func Option() option.Spec {
	return option.Spec{
		Name: "compression", Aliases: []string{"codec"}, Type: option.Enum, Default: "none",
		Values: []string{"none", "uncompressed", "gzip", "zstd", "lz4", "snappy"},
		Doc:    "Compression of the written files. zstd is the best general choice, gzip the most portable.",
	}
}

// Extension is the suffix that files of a codec have; "" for none.
func Extension(codec string) string {
	if codec == "none" || codec == "uncompressed" {
		return ""
	}
	return map[string]string{"gzip": ".gz", "zstd": ".zst", "lz4": ".lz4", "snappy": ".sz"}[codec]
}

// NewWriter compresses onto w. Close writes the end of the stream, not w's.
func NewWriter(codec string, w io.Writer) (io.WriteCloser, error) {
	switch codec {
	case "gzip":
		return gzip.NewWriter(w), nil
	case "zstd":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	case "lz4":
		return lz4.NewWriter(w), nil
	case "snappy":
		return snappy.NewBufferedWriter(w), nil
	}
	return plain{w}, nil
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }
