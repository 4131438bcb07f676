package scalar

import (
	"bytes"
	"crypto/aes"
	"math/rand/v2"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// oneText is a column of one value.
func oneText(s string) *vec.Vector {
	b := vec.NewBuilder(text)
	b.AppendString(s)
	return b.Take()
}

func oneBlob(s []byte) *vec.Vector {
	b := vec.NewBuilder(blob)
	b.AppendBytes(s)
	return b.Take()
}

// TestCharsetsGoBack encodes and decodes random text in every charset.
func TestCharsetsGoBack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32"} {
		cs, ok := charsetOf(name)
		if !ok {
			t.Fatal(name)
		}
		for range 2000 {
			var s []byte
			for range rnd.IntN(6) {
				s = utf8.AppendRune(s, []rune{'a', 'é', 'Ω', '🦆', 0x10ffff, 0x7f, 0xff, 0xffff}[rnd.IntN(8)])
			}
			enc, ok := cs.encode(nil, s)
			if !ok {
				continue // a character that the charset does not have
			}
			if back, ok := cs.decode(nil, enc); !ok || !bytes.Equal(back, s) {
				t.Fatalf("%s: %q became %x and %q", name, s, enc, back)
			}
			if len(enc) > 0 { // a part of it may be broken, but gives valid text or an error
				if part, ok := cs.decode(nil, enc[:rnd.IntN(len(enc))]); ok && !utf8.Valid(part) {
					t.Fatalf("%s: %x gives %q", name, enc, part)
				}
			}
		}
	}
}

// TestMakeValid checks that the result is valid, and that valid text stays.
func TestMakeValid(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		s := make([]byte, rnd.IntN(8))
		for i := range s {
			s[i] = []byte{'a', 0x80, 0xbf, 0xc2, 0xe0, 0xa0, 0xed, 0x9f, 0xf0, 0x90, 0xf4, 0x8f, 0xff}[rnd.IntN(13)]
		}
		got := appendValid(nil, s)
		if !utf8.Valid(got) || utf8.Valid(s) && !bytes.Equal(got, s) {
			t.Fatalf("%x became %x", s, got)
		}
	}
}

// TestCiphersGoBack encrypts and decrypts in every mode, with keys of every length;
// what was changed on the way is refused or at least no panic.
func TestCiphersGoBack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, mode := range []string{"GCM", "CBC", "ECB"} {
		for _, size := range []int{16, 24, 32} {
			for n := range 40 {
				key, plain := bytes.Repeat([]byte{byte(n)}, size), bytes.Repeat([]byte{byte(n)}, n)
				args := []*vec.Vector{oneBlob(plain), oneBlob(key), oneText(mode)}
				sealed, _, msg := encryptRow(nil, args, 0)
				if msg != "" {
					t.Fatal(msg)
				}
				args[0] = oneBlob(sealed)
				if back, _, msg := decryptRow([]byte{}, args, 0); msg != "" || !bytes.Equal(back, plain) {
					t.Fatalf("%s: %q, %s", mode, back, msg)
				}
				sealed[rnd.IntN(len(sealed))] ^= 1
				args[0] = oneBlob(sealed)
				if _, _, msg := decryptRow([]byte{}, args, 0); mode == "GCM" && msg == "" {
					t.Fatal("a changed text was decrypted")
				}
			}
		}
	}
	if _, _, msg := decryptRow(nil, []*vec.Vector{oneBlob(make([]byte, aes.BlockSize)), oneBlob([]byte("short"))}, 0); msg == "" {
		t.Error("a short key was taken")
	}
}

// TestRegexpProblems checks which patterns are refused by name, and which are not.
func TestRegexpProblems(t *testing.T) {
	for _, p := range []string{`(?=a)`, `(?<!a)b`, `(a)\1`, `(?<x>a)\k<x>`, `[a-z&&[^b]]`, `[a[bc]]`, `a++`, `a*+`, `(?>a)`, `a\Z`, `\p{Alpha}`, `\h+`} {
		if regexpProblem(p) == "" {
			t.Errorf("%s was taken", p)
		}
	}
	for _, p := range []string{`a\+\+`, `[+*]+`, `\[a\[b\]\]`, `[^]]+`, `[]a]`, `[[:alpha:]]+`, `[[]x`, `[\]&]`, `a&&b`, `(?<x>a)`, `(?i)a+?`, `\\1`, `\Qa++\E`, `a{2}?`} {
		if msg := regexpProblem(p); msg != "" {
			t.Errorf("%s: %s", p, msg)
		}
		if _, err := compile(p); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// TestLevenshteinAgrees compares with the recursive definition; a limit only hides.
func TestLevenshteinAgrees(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	word := func() []rune {
		w := make([]rune, rnd.IntN(6))
		for i := range w {
			w[i] = []rune("abé")[rnd.IntN(3)]
		}
		return w
	}
	for range 3000 {
		p := pair{a: word(), b: word()}
		want := editsNaive(p.a, p.b)
		if got := levenshtein(&p); got != want {
			t.Fatalf("%q %q: %d, want %d", string(p.a), string(p.b), got, want)
		}
		if got, _ := damerau(&p); got > want || got < 0 {
			t.Fatalf("%q %q: with swaps %d, without %d", string(p.a), string(p.b), got, want)
		}
	}
}

func editsNaive(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	case a[0] == b[0]:
		return editsNaive(a[1:], b[1:])
	}
	return 1 + min(editsNaive(a[1:], b), editsNaive(a, b[1:]), editsNaive(a[1:], b[1:]))
}

// TestRandomStaysInside draws from ranges, the whole BIGINT included.
func TestRandomStaysInside(t *testing.T) {
	c := &fn.Ctx{Zone: time.UTC, Seed: 9}
	seen := map[int64]bool{}
	for range 10_000 {
		if x := between(c, 3, -2, true); x < -2 || x > 3 {
			t.Fatal(x)
		} else {
			seen[x] = true
		}
		if x := between(c, 10, 12, false); x < 10 || x > 11 {
			t.Fatal(x)
		}
		between(c, -1<<63, 1<<63-1, true)
		if x := fraction(c); x < 0 || x >= 1 {
			t.Fatal(x)
		}
	}
	if len(seen) != 6 {
		t.Errorf("only %d of 6 numbers occur", len(seen))
	}
}
