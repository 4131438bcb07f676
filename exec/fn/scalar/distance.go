package scalar

import (
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// distances compare two texts character by character.
func distances() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "levenshtein", Aliases: []string{"editdist3"}, Group: "Text", Syntax: []string{"levenshtein(a, b [, limit])"},
			Doc:      "Counts the insertions, deletions and replacements of characters that turn a into b; with a limit it is -1 where there are more.",
			Examples: []fn.Example{{SQL: "levenshtein('kitten', 'sitting')", Want: "3"}, {SQL: "levenshtein('kitten', 'sitting', 2)", Want: "-1"}, {SQL: "levenshtein('a', NULL)", Want: "NULL"}},
			Resolve:  optional(2, integer, comparing(integer, "levenshtein", levenshteinWithin), text, text, integer),
		},
		{
			Name: "damerau_levenshtein", Group: "Text", Syntax: []string{"damerau_levenshtein(a, b)"},
			Doc:      "Is levenshtein, where swapping two neighbours counts once.",
			Examples: []fn.Example{{SQL: "damerau_levenshtein('ab', 'ba')", Want: "1"}, {SQL: "damerau_levenshtein(NULL, 'a')", Want: "NULL"}},
			Resolve:  fixed(bigint, comparing(bigint, "damerau_levenshtein", damerau), text, text),
		},
		{
			Name: "hamming", Aliases: []string{"mismatches"}, Group: "Text", Syntax: []string{"hamming(a, b)"},
			Doc:      "Counts the places at which two texts of the same length have different characters; another length, or an empty text, is an error.",
			Examples: []fn.Example{{SQL: "hamming('duck', 'luck')", Want: "1"}, {SQL: "hamming(NULL, 'a')", Want: "NULL"}},
			Resolve:  fixed(bigint, comparing(bigint, "hamming", hamming), text, text),
		},
		similarity("jaccard", "Is the share of the characters of either text that both have, from 0 to 1; an empty text is an error.", "jaccard('duck', 'luck')", "0.6", jaccard),
		similarity("jaro_similarity", "Is the Jaro similarity, from 0 (nothing in common) to 1 (equal); below the limit of a third argument it is 0.", "round(jaro_similarity('duck', 'duckdb'), 4)", "0.8889", jaro),
		similarity("jaro_winkler_similarity", "Is the Jaro similarity with a bonus for the same first four characters; below the limit of a third argument it is 0.", "round(jaro_winkler_similarity('MARTHA', 'MARHTA'), 4)", "0.9611", jaroWinkler),
	}
}

// pair is the room in which two texts are compared, used again for every row.
type pair struct {
	a, b    []rune
	row     []int
	limit   float64 // the third argument, if limited
	limited bool
}

const (
	maxCells = 1 << 26 // bounds the work of one comparison
	tooLarge = "the texts are too long to compare"
)

func appendRunes(dst []rune, s []byte) []rune {
	for len(s) > 0 {
		ch, size := utf8.DecodeRune(s)
		dst, s = append(dst, ch), s[size:]
	}
	return dst
}

func (p *pair) load(args []*vec.Vector, r int) {
	p.a, p.b = appendRunes(p.a[:0], args[0].Bytes(r)), appendRunes(p.b[:0], args[1].Bytes(r))
	if p.limited = len(args) > 2; p.limited {
		if args[2].Type.IsFloat() {
			p.limit = args[2].Float(r)
		} else {
			p.limit = float64(args[2].Int(r))
		}
	}
}

// zeros is a row of n zeros.
func (p *pair) zeros(n int) []int {
	if cap(p.row) < n {
		p.row = make([]int, n)
	}
	p.row = p.row[:n]
	clear(p.row)
	return p.row
}

// comparing makes a kernel that counts something about two texts.
func comparing(t types.Type, name string, f func(p *pair) (int, string)) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		var p pair
		return tryInts(t, name, func(args []*vec.Vector, r int) (int64, string) {
			p.load(args, r)
			if len(p.a)*len(p.b) > maxCells {
				return 0, tooLarge
			}
			n, msg := f(&p)
			return int64(n), msg
		})(c, args, rows)
	}
}

func similarity(name, doc, example, want string, f func(p *pair) (float64, string)) *fn.Scalar {
	kernel := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		var p pair
		return tryFloats(name, func(args []*vec.Vector, r int) (float64, string) {
			p.load(args, r)
			if len(p.a)*len(p.b) > maxCells {
				return 0, tooLarge
			}
			x, msg := f(&p)
			if p.limited && x < p.limit {
				x = 0
			}
			return x, msg
		})(c, args, rows)
	}
	resolve, syntax := optional(2, double, kernel, text, text, double), name+"(a, b [, limit])"
	if name == "jaccard" {
		resolve, syntax = fixed(double, kernel, text, text), name+"(a, b)"
	}
	return &fn.Scalar{
		Name: name, Group: "Text", Syntax: []string{syntax}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, 'a')", Want: "NULL"}},
		Resolve:  resolve,
	}
}

func levenshteinWithin(p *pair) (int, string) {
	n := levenshtein(p)
	if p.limited && float64(n) > p.limit {
		n = -1
	}
	return n, ""
}

func levenshtein(p *pair) int {
	a, b := p.a, p.b
	row := p.zeros(len(b) + 1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diag := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diag
			if x != y {
				cost = min(diag, row[j], row[j+1]) + 1
			}
			diag, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// damerau counts with unrestricted swaps (Lowrance and Wagner): the letters between
// two swapped ones may change too.
func damerau(p *pair) (int, string) {
	a, b := p.a, p.b
	width, inf := len(b)+2, len(a)+len(b)
	d := p.zeros((len(a) + 2) * width)
	last := map[rune]int{}
	d[0] = inf
	for i := 0; i <= len(a); i++ {
		d[(i+1)*width], d[(i+1)*width+1] = inf, i
	}
	for j := 0; j <= len(b); j++ {
		d[j+1], d[width+j+1] = inf, j
	}
	for i := 1; i <= len(a); i++ {
		match := 0
		for j := 1; j <= len(b); j++ {
			k, l, cost := last[b[j-1]], match, 1
			if a[i-1] == b[j-1] {
				cost, match = 0, j
			}
			d[(i+1)*width+j+1] = min(d[i*width+j]+cost, d[(i+1)*width+j]+1, d[i*width+j+1]+1, d[k*width+l]+(i-k-1)+1+(j-l-1))
		}
		last[a[i-1]] = i
	}
	return d[len(d)-1], ""
}

func hamming(p *pair) (int, string) {
	if len(p.a) != len(p.b) || len(p.a) == 0 {
		return 0, "needs texts of the same length that are not empty"
	}
	n := 0
	for i, x := range p.a {
		if x != p.b[i] {
			n++
		}
	}
	return n, ""
}

func jaccard(p *pair) (float64, string) {
	if len(p.a) == 0 || len(p.b) == 0 {
		return 0, "needs texts that are not empty"
	}
	seen := map[rune]int{}
	for _, x := range p.a {
		seen[x] |= 1
	}
	for _, x := range p.b {
		seen[x] |= 2
	}
	both := 0
	for _, in := range seen {
		if in == 3 {
			both++
		}
	}
	return float64(both) / float64(len(seen)), ""
}

func jaro(p *pair) (float64, string) {
	a, b := p.a, p.b
	switch {
	case len(a) == 0 && len(b) == 0:
		return 1, ""
	case len(a) == 0 || len(b) == 0:
		return 0, ""
	}
	taken := p.zeros(len(a) + len(b)) // which characters of a, then of b, have found each other
	inA, inB := taken[:len(a)], taken[len(a):]
	reach, found := max(max(len(a), len(b))/2-1, 0), 0
	for i, x := range a {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if inB[j] == 0 && b[j] == x {
				inA[i], inB[j] = 1, 1
				found++
				break
			}
		}
	}
	if found == 0 {
		return 0, ""
	}
	swaps, j := 0, 0
	for i, x := range a {
		if inA[i] == 0 {
			continue
		}
		for inB[j] == 0 {
			j++
		}
		if b[j] != x {
			swaps++
		}
		j++
	}
	m := float64(found)
	return (m/float64(len(a)) + m/float64(len(b)) + (m-float64(swaps)/2)/m) / 3, ""
}

func jaroWinkler(p *pair) (float64, string) {
	sim, msg := jaro(p)
	same := 0
	for same < min(len(p.a), len(p.b), 4) && p.a[same] == p.b[same] {
		same++
	}
	return sim + float64(same)*0.1*(1-sim), msg
}
