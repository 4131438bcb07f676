package differential

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// A signature is a list of pools whose values a function takes together.
type signature []pool

// resolves tells what a function casts arguments to; an error where it does not take
// them.
type resolves func(args []fn.Arg) ([]types.Type, error)

const (
	maxArity      = 6
	maxSignatures = 8    // of one function and number of arguments
	maxTuples     = 32   // of one function
	maxYounger    = 12   // of one function, with a value of a younger type
	probes        = 1500 // lists of types that are tried for three and more arguments
)

// generator makes argument lists, always the same ones for a seed.
type generator struct {
	pools []pool
	r     *rand.Rand
	young bool // only lists with a value of a younger type
}

func newGenerator(seed uint64, name string) *generator {
	var h uint64 = 14695981039346656037
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return &generator{pools: pools(), r: rand.New(rand.NewPCG(seed, h))}
}

// younger is a generator of lists with a value of a younger type.
func newYounger(seed uint64, name string) *generator {
	g := newGenerator(seed, name)
	g.pools, g.young = append(younger(), g.pools...), true
	return g
}

// usable reports whether the generator is to make lists of these pools.
func (g *generator) usable(s signature) bool {
	return !g.young || slices.ContainsFunc(s, func(p pool) bool { return isYounger(p.t) })
}

// signatures finds what a function takes, by trying.
func (g *generator) signatures(f resolves) []signature {
	var out []signature
	for n := 0; n <= maxArity; n++ {
		out = append(out, g.ofArity(f, n)...)
	}
	if len(out) > 2*maxSignatures {
		g.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		out = out[:2*maxSignatures]
	}
	return out
}

func (g *generator) ofArity(f resolves, n int) []signature {
	seen := map[string]bool{}
	var direct, cast []signature
	g.candidates(n, func(s signature) {
		if !g.usable(s) {
			return
		}
		want, err := f(s.args())
		if err != nil || len(want) != n {
			return
		}
		key := fmt.Sprint(want)
		exact := !slices.ContainsFunc(seq(n), func(i int) bool { return !want[i].Equal(s[i].t) })
		switch {
		case exact && !seen[key]:
			seen[key] = true
			direct = append(direct, slices.Clone(s))
		case !exact && !seen["cast "+key] && len(cast) < 400:
			seen["cast "+key] = true
			cast = append(cast, slices.Clone(s))
		}
	})
	g.r.Shuffle(len(cast), func(i, j int) { cast[i], cast[j] = cast[j], cast[i] })
	g.r.Shuffle(len(direct), func(i, j int) { direct[i], direct[j] = direct[j], direct[i] })
	direct = direct[:min(len(direct), maxSignatures)]
	return append(direct, cast[:min(len(cast), 2+max(0, 6-len(direct)))]...)
}

// args describes the first value of each pool.
func (s signature) args() []fn.Arg {
	out := make([]fn.Arg, len(s))
	for i, p := range s {
		out[i] = fn.Arg{Type: p.t, Const: p.vals[0].constant()}
	}
	return out
}

// candidates calls try with lists of n pools: all up to two, else a sample in which
// neighbours often have the same type.
func (g *generator) candidates(n int, try func(signature)) {
	s := make(signature, n)
	switch n {
	case 0:
		try(s)
	case 1, 2:
		g.product(s, 0, try)
	default:
		for range probes {
			for i := range s {
				s[i] = g.pools[g.r.IntN(len(g.pools))]
				if i > 0 && g.r.IntN(2) == 0 {
					s[i] = s[g.r.IntN(i)]
				}
			}
			try(s)
		}
	}
}

func (g *generator) product(s signature, i int, try func(signature)) {
	if i == len(s) {
		try(s)
		return
	}
	for _, p := range g.pools {
		s[i] = p
		g.product(s, i+1, try)
	}
}

// tuples makes argument lists for the signatures: of each an ordinary one, one with each
// edge value, then mixtures.
func (g *generator) tuples(sigs []signature, most int) [][]value {
	var out [][]value
	seen := map[string]bool{}
	add := func(t []value) {
		key := tupleKey(t)
		if !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
	}
	each := max(2, most/max(1, len(sigs)))
	for _, s := range sigs {
		from := len(out)
		add(s.pick(func(p pool) value { return p.vals[0] }))
		for i := range s {
			t := s.pick(func(p pool) value { return p.vals[0] })
			t[i] = s[i].vals[len(s[i].vals)-1]
			if len(out)-from < each/2+1 {
				add(t)
			}
		}
		for n := 0; n < 4*each && len(out)-from < each; n++ {
			add(s.pick(func(p pool) value { return p.vals[g.r.IntN(len(p.vals))] }))
		}
	}
	return out
}

func (s signature) pick(f func(pool) value) []value {
	out := make([]value, len(s))
	for i, p := range s {
		out[i] = f(p)
	}
	return out
}

func tupleKey(t []value) string { return strings.Join(spell(t, ""), "\x00") }

func spell(t []value, d dialect) []string {
	out := make([]string, len(t))
	for i, v := range t {
		out[i] = v.sql(d)
	}
	return out
}
