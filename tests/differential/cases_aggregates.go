package differential

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// aggregate asks an aggregate over groups of every type that it takes: no rows, one,
// NULLs alone, edge values, repeated values.
func (m *maker) aggregate(a *fn.Aggregate) {
	g := newGenerator(seed, "aggregate "+a.Name)
	sigs := g.signatures(func(args []fn.Arg) ([]types.Type, error) {
		impl, err := a.Resolve(args)
		return impl.Args, err
	})
	names := append([]string{a.Name}, a.Aliases...)
	asked := map[string]bool{}
	sigs = sigs[:min(len(sigs), 5)]
	for n, name := range names {
		for i, s := range sigs {
			if len(s) == 0 || len(s) > 3 || n > 0 && i%4 != 0 {
				continue
			}
			for _, rows := range g.groups(s) {
				m.group(a.Name, name, rows, asked)
			}
		}
		for _, e := range engines {
			asked[e] = asked[e] || m.have[e][strings.ToLower(name)]
		}
	}
	m.examples(a.Name, names, a.Examples, 12)
}

// groups makes lists of rows.
func (g *generator) groups(s signature) [][][]value {
	row := func(pick func(p pool) value) []value { return s.pick(pick) }
	random := func(p pool) value { return p.vals[g.r.IntN(len(p.vals))] }
	first := row(func(p pool) value { return p.vals[0] })
	nulls := row(func(p pool) value { return p.vals[len(p.vals)-1] })
	second := row(func(p pool) value { return p.vals[min(1, len(p.vals)-1)] })
	out := [][][]value{{first}, {nulls, nulls}, {first, nulls, second, first}}
	for _, n := range []int{3, 5} {
		var rows [][]value
		for range n {
			rows = append(rows, row(random))
		}
		out = append(out, append(slices.Clone(rows), rows[0]))
	}
	return out
}

func (m *maker) group(fname, name string, rows [][]value, asked map[string]bool) {
	cols := make([]string, len(rows[0]))
	for i := range cols {
		cols[i] = string(rune('a' + i))
	}
	write := func(d dialect) string {
		var list []string
		for _, r := range rows {
			list = append(list, "("+strings.Join(spell(r, d), ", ")+")")
		}
		names := strings.Join(cols, ", ")
		return fmt.Sprintf("SELECT %s(%s) FROM (VALUES %s) AS t(%s)", name, names, strings.Join(list, ", "), names)
	}
	c := &Case{Func: fname, Kind: "query", SQL: write("")}
	for _, e := range engines {
		if m.have[e][strings.ToLower(name)] {
			c.set(e, write(dialect(e)))
		}
	}
	m.add(c)
}
