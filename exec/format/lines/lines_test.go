package lines

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
)

func file(content []byte) format.File {
	return format.File{Name: "a", R: bytes.NewReader(content), Size: int64(len(content))}
}

// all reads a section with blocks of random sizes, now and then giving back a part.
func all(t *testing.T, r *rand.Rand, f format.File, s format.Section, buf []byte) ([]byte, []byte) {
	t.Helper()
	src, err := Open(f, s, buf)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var out []byte
	for want := r.IntN(100_000); ; {
		block, err := src.Next(want)
		if errors.Is(err, io.EOF) {
			return out, src.Buffer()
		}
		if err != nil {
			t.Fatal(err)
		}
		if block[len(block)-1] != '\n' {
			t.Fatal("a block does not end with a newline")
		}
		if cap(block)-len(block) < Pad-1 {
			t.Fatal("a block without room behind it")
		}
		if !bytes.HasPrefix(f.R.(*content).b[src.Base():], block[:len(block)-1]) {
			t.Fatal("Base is wrong")
		}
		want = r.IntN(100_000)
		keep := len(block)
		if r.IntN(4) == 0 {
			if p := bytes.LastIndexByte(block[:len(block)-1], '\n') + 1; src.Unread(p) {
				keep, want = p, 2*(len(block)-p)
			}
		}
		out = append(out, block[:keep]...)
	}
}

type content struct {
	*bytes.Reader
	b []byte
}

func TestSectionsAndBlocks(t *testing.T) {
	var buf []byte
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var b bytes.Buffer
		for range r.IntN(3000) {
			b.WriteString(strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(1+r.IntN(200))))
			b.WriteByte('\n')
		}
		if r.IntN(10) == 0 {
			b.WriteString(strings.Repeat("long", 60_000))
		}
		if r.IntN(2) == 0 {
			b.WriteString("no newline at the end")
		}
		c := &content{bytes.NewReader(b.Bytes()), b.Bytes()}
		f := format.File{Name: "a", R: c, Size: int64(b.Len())}
		parts := int64(1 + r.IntN(9))
		var got []byte
		for i := range parts {
			var out []byte
			out, buf = all(t, r, f, format.Section{Off: f.Size * i / parts, End: f.Size * (i + 1) / parts}, buf)
			got = append(got, out...)
		}
		want := b.Bytes()
		if len(want) > 0 && want[len(want)-1] != '\n' {
			want = append(bytes.Clone(want), '\n')
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %d bytes of %d in %d sections", seed, len(got), len(want), parts)
		}
	}
}

func TestSections(t *testing.T) {
	if s := Sections(file(nil), false); len(s) != 0 {
		t.Errorf("an empty file has %v", s)
	}
	f := format.File{Name: "a", Size: 100 << 20}
	s := Sections(f, false)
	if len(s) != 6 || s[5].End != f.Size || s[0].Off != 0 {
		t.Errorf("sections %v", s)
	}
	for i := 1; i < len(s); i++ {
		if s[i].Off != s[i-1].End {
			t.Errorf("sections %v", s)
		}
	}
	if s := Sections(f, true); len(s) != 1 {
		t.Errorf("whole: %v", s)
	}
	f.Name = "a.json.GZ"
	if s := Sections(f, false); len(s) != 1 {
		t.Errorf("compressed: %v", s)
	}
}

func TestWhole(t *testing.T) {
	for _, c := range []string{"", "a", "a\nb\n", "\xef\xbb\xbfa", strings.Repeat("x", 1<<20)} {
		src, err := Open(file([]byte(c)), format.Section{End: int64(len(c))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := src.Whole()
		want := strings.TrimPrefix(c, "\xef\xbb\xbf")
		if want != "" {
			want += "\n"
		}
		if err != nil || string(got) != want {
			t.Errorf("%.20q: %.20q %v", c, got, err)
		}
	}
}

// broken fails after some bytes.
type broken struct{ n int64 }

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off >= b.n {
		return 0, errors.New("disk on fire")
	}
	for i := range p {
		p[i] = '\n'
	}
	return int(min(int64(len(p)), b.n-off)), nil
}

func TestReadErrorNamesTheFile(t *testing.T) {
	src, err := Open(format.File{Name: "in/a.json", R: broken{100_000}, Size: 1 << 20}, format.Section{End: 1 << 20}, nil)
	for err == nil {
		_, err = src.Next(0)
	}
	var file *format.FileError
	if !errors.As(err, &file) || err.Error() != "in/a.json: read at byte 100000: disk on fire" {
		t.Errorf("error %v", err)
	}
}
