package scalar

import (
	"bytes"
	"compress/gzip"
	"io"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// maxUnzipped bounds what a value may become: a few bytes can stand for gigabytes.
const maxUnzipped = 64 << 20

func gzips() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "gzip", Group: "Encoding", Syntax: []string{"gzip(bytes)"}, Doc: "Compresses bytes, or the UTF-8 of a text, in the gzip format.",
			Examples: []fn.Example{{SQL: "CAST(gunzip(gzip('stream')) AS STRING)", Want: "stream"}, {SQL: "gzip(NULL)", Want: "NULL"}},
			Resolve:  fixed(blob, gzipped, blob),
		},
		{
			Name: "gunzip", Group: "Encoding", Syntax: []string{"gunzip(bytes)"}, Doc: "Takes the bytes out of the gzip format; more than 64 MiB, or what is not gzip, is an error.",
			Examples: []fn.Example{{SQL: "CAST(gunzip(gzip('a')) AS STRING)", Want: "a"}, {SQL: "gunzip(NULL)", Want: "NULL"}},
			Resolve:  fixed(blob, gunzipped, blob),
		},
	}
}

func gzipped(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	return bytesOf(blob, func(dst []byte, args []*vec.Vector, r int) []byte {
		buf.Reset()
		w.Reset(&buf)
		w.Write(args[0].Bytes(r)) // a bytes.Buffer takes all
		w.Close()
		return append(dst, buf.Bytes()...)
	})(c, args, rows)
}

func gunzipped(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	var src bytes.Reader
	var z *gzip.Reader
	return tryTexts(blob, "gunzip", func(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
		src.Reset(args[0].Bytes(r))
		var err error
		if z == nil {
			z, err = gzip.NewReader(&src)
		} else {
			err = z.Reset(&src)
		}
		if err != nil {
			return nil, shown(args[0], r), "not in the gzip format"
		}
		w := bytes.NewBuffer(dst)
		switch n, err := io.Copy(w, io.LimitReader(z, maxUnzipped+1)); {
		case err != nil:
			return nil, shown(args[0], r), "the gzip data is damaged"
		case n > maxUnzipped:
			return nil, shown(args[0], r), "becomes more than 64 MiB"
		}
		return w.Bytes(), "", ""
	})(c, args, rows)
}
