// Package textlog is the shape of the small text files of a checkpoint:
//
//	v1
//	{"any":"JSON lines"}
//	{"crc32c":"9ae0daaf"}
//
// The first line is the version, as in Spark's logs; the last one holds the
// checksum of all bytes before it, so that a truncated or changed file is
// told from a good one and `cat` still reads it. The package does not look
// into the lines between.
package textlog

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/sqlstream/sqlstream/storage/fault"
)

const version = "v1"

// Encode frames lines. A line must not contain a newline.
func Encode(lines ...[]byte) []byte {
	var b bytes.Buffer
	b.WriteString(version + "\n")
	for _, line := range lines {
		b.Write(line)
		b.WriteByte('\n')
	}
	b.WriteString(checksumLine(b.Bytes()))
	return b.Bytes()
}

// Decode returns the lines of a frame; they point into data. The error's
// kind is fault.ErrCorrupt or fault.ErrVersion.
func Decode(data []byte) ([][]byte, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: the file is empty", fault.ErrCorrupt)
	}
	if err := checkVersion(data); err != nil {
		return nil, err
	}
	body, trailer, err := cutTrailer(data)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(trailer, []byte(`{"crc32c":"`)) {
		return nil, fmt.Errorf("%w: the checksum line is missing, the file is cut off", fault.ErrCorrupt)
	}
	if want := checksumLine(body); string(trailer) != want {
		return nil, fmt.Errorf("%w: the checksum line is %s, the content calls for %s", fault.ErrCorrupt, bytes.TrimSpace(trailer), strings.TrimSpace(want))
	}
	lines := bytes.Split(body, []byte{'\n'})
	return lines[1 : len(lines)-1], nil
}

func checkVersion(data []byte) error {
	first, _, _ := bytes.Cut(data, []byte{'\n'})
	if string(first) == version {
		return nil
	}
	if len(first) < 8 && strings.HasPrefix(string(first), "v") {
		return fmt.Errorf("%w: the file says %q, this program reads %q", fault.ErrVersion, first, version)
	}
	return fmt.Errorf("%w: the first line is not %q", fault.ErrCorrupt, version)
}

func cutTrailer(data []byte) (body, trailer []byte, err error) {
	if data[len(data)-1] != '\n' {
		return nil, nil, fmt.Errorf("%w: the last line has no end, the file is cut off", fault.ErrCorrupt)
	}
	at := bytes.LastIndexByte(data[:len(data)-1], '\n')
	if at < 0 {
		return nil, nil, fmt.Errorf("%w: the file ends after its first line", fault.ErrCorrupt)
	}
	return data[:at+1], data[at+1:], nil
}

func checksumLine(body []byte) string {
	sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
	return fmt.Sprintf("{\"crc32c\":\"%08x\"}\n", sum)
}

// Describe turns an error of Decode into one that names file and batch.
func Describe(what, path string, batch int64, err error, hint string) error {
	kind := fault.ErrCorrupt
	if errors.Is(err, fault.ErrVersion) {
		kind, hint = fault.ErrVersion, "use the version of the program that wrote it, or a newer one"
	}
	why := strings.TrimPrefix(err.Error(), kind.Error()+": ")
	return &fault.Error{Kind: kind, What: what, Path: path, Batch: batch, Why: why, Hint: hint}
}
