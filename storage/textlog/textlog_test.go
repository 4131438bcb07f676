package textlog

import (
	"errors"
	"testing"

	"github.com/sqlstream/sqlstream/storage/fault"
)

func TestRoundTrip(t *testing.T) {
	for _, lines := range [][][]byte{nil, {[]byte(`{"a":1}`)}, {[]byte(`{}`), []byte(``), []byte(`{"b":2}`)}} {
		got, err := Decode(Encode(lines...))
		if err != nil || len(got) != len(lines) {
			t.Fatalf("%q: got %q, %v", lines, got, err)
		}
		for i := range lines {
			if string(got[i]) != string(lines[i]) {
				t.Fatalf("%q: got %q", lines, got)
			}
		}
	}
}

func TestEveryCutAndFlipIsFound(t *testing.T) {
	good := Encode([]byte(`{"offset":10}`))
	for n := range len(good) {
		if _, err := Decode(good[:n]); !errors.Is(err, fault.ErrCorrupt) && !errors.Is(err, fault.ErrVersion) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	for i := range len(good) * 8 {
		bad := append([]byte(nil), good...)
		bad[i/8] ^= 1 << (i % 8)
		if lines, err := Decode(bad); err == nil {
			t.Fatalf("flip of bit %d read as %q", i, lines)
		}
	}
}

func TestNewerVersion(t *testing.T) {
	_, err := Decode([]byte("v2\n{}\n"))
	err = Describe("offset log 3", "/c/offsets/3", 3, err, "unused")
	want := `offset log 3 (/c/offsets/3): the file says "v2", this program reads "v1"; use the version of the program that wrote it, or a newer one`
	if !errors.Is(err, fault.ErrVersion) || err.Error() != want {
		t.Fatalf("got %v", err)
	}
}
