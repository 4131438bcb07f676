package avro

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/sqlstream/sqlstream/exec/format/compress"
)

// codec compresses the blocks of a container.
type codec struct {
	name string
	// unpack appends the content of a block.
	unpack func(dst, src []byte) ([]byte, error)
	// pack appends what is stored of a block; nil = such files are not written.
	pack func(dst, src []byte) ([]byte, error)
}

// codecNamed makes the codec of a name in a header.
func codecNamed(name string) (*codec, error) {
	switch name {
	case "", "null":
		same := func(dst, src []byte) ([]byte, error) { return append(dst, src...), nil }
		return &codec{"null", same, same}, nil
	case "deflate":
		return deflate(), nil
	case "snappy":
		return &codec{name, unpackSnappy, packSnappy}, nil
	case "zstandard":
		return zstandard()
	case "bzip2":
		return &codec{name, func(dst, src []byte) ([]byte, error) { return readAll(dst, bzip2.NewReader(bytes.NewReader(src))) }, nil}, nil
	}
	return nil, fmt.Errorf("its blocks are compressed with %q; null, deflate, snappy, zstandard and bzip2 can be read", name)
}

var errTooLarge = fmt.Errorf("it unpacks to more than %d bytes", maxBlock)

// readAll appends what a reader gives, up to maxBlock.
func readAll(dst []byte, r io.Reader) ([]byte, error) {
	from := len(dst)
	for {
		if len(dst)-from > maxBlock {
			return dst, errTooLarge
		}
		if cap(dst)-len(dst) < 4<<10 {
			dst = append(dst, make([]byte, max(32<<10, len(dst)/2))...)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}

func deflate() *codec {
	r := flate.NewReader(nil)
	var w *flate.Writer
	return &codec{"deflate", func(dst, src []byte) ([]byte, error) {
		if err := r.(flate.Resetter).Reset(bytes.NewReader(src), nil); err != nil {
			return dst, err
		}
		return readAll(dst, r)
	}, func(dst, src []byte) ([]byte, error) {
		out := bytes.NewBuffer(dst)
		if w == nil {
			w, _ = flate.NewWriter(nil, flate.DefaultCompression)
		}
		w.Reset(out)
		if _, err := w.Write(src); err != nil {
			return dst, err
		}
		err := w.Close()
		return out.Bytes(), err
	}}
}

// Behind a block of Snappy stands the check sum of its content.

func unpackSnappy(dst, src []byte) ([]byte, error) {
	if len(src) < 4 {
		return dst, errors.New("it is too short for Snappy")
	}
	packed, sum := src[:len(src)-4], binary.BigEndian.Uint32(src[len(src)-4:])
	if !compress.SnappyFits(packed, maxBlock) {
		return dst, errTooLarge
	}
	n, err := snappy.DecodedLen(packed)
	if err != nil {
		return dst, err
	}
	if n > 64*len(packed)+64 {
		return dst, errors.New("it claims more content than Snappy can pack")
	}
	at := len(dst)
	dst = append(dst, make([]byte, n)...)
	if _, err := snappy.Decode(dst[at:], packed); err != nil {
		return dst[:at], err
	}
	if crc32.ChecksumIEEE(dst[at:]) != sum {
		return dst[:at], errors.New("its check sum is wrong")
	}
	return dst, nil
}

func packSnappy(dst, src []byte) ([]byte, error) {
	dst = append(dst, snappy.Encode(nil, src)...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(src)), nil
}

func zstandard() (*codec, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
	if err != nil {
		return nil, err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	return &codec{"zstandard", func(dst, src []byte) ([]byte, error) { return r.DecodeAll(src, dst) },
		func(dst, src []byte) ([]byte, error) { return w.EncodeAll(src, dst), nil }}, err
}
