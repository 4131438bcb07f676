package compress

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Checks that compressed bytes unpack to at most size bytes, as far as their beginning
// tells: whoever unpacks them takes that much memory on trust. False also for bytes
// that are no such thing.

// Beginning is how many bytes SnappyFits and ZstdFits need, if there are as many.
const Beginning = zstd.HeaderMaxSize

// SnappyFits checks a block of Snappy.
func SnappyFits(buf []byte, size int64) bool {
	n, k := binary.Uvarint(buf)
	return k > 0 && n <= uint64(size)
}

// ZstdFits checks a frame of Zstandard; it need not say its size.
func ZstdFits(buf []byte, size int64) bool {
	var h zstd.Header
	if err := h.Decode(buf); err != nil {
		return false
	}
	return !h.HasFCS || h.FrameContentSize <= uint64(size)
}

// LZ4Fits checks a raw block of LZ4, all of it.
func LZ4Fits(buf []byte, size int64) bool {
	_, err := lz4.UncompressBlock(buf, make([]byte, size))
	return err == nil
}
