package functions

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
)

var showAllocations = flag.Bool("allocations", false, "list each function with its allocations per row")

const rowsOfAlloc = 1024

// free are functions of everyday use: they allocate for batches alone.
const free = `+ - * / % = < abs round floor ceil sqrt greatest least sign
	upper lower length substring trim ltrim rtrim lpad rpad concat replace reverse left right split_part
	translate initcap starts_with ends_with contains like md5 sha2 crc32 ascii chr hex
	date_format strftime date_add extract year month day hour
	last_day next_day make_date json_valid get_json_object nullif if array_position list_position`

// first is an example whose first literal is a column: patterns and formats stay constant.
func (f *forms) first(example string) *form {
	x, err := parser.ParseExpr(diag.Source{Text: example})
	if err != nil {
		return nil
	}
	spans := literals(x)
	if len(spans) == 0 {
		return nil
	}
	return f.with(example, spans[:1])
}

// fails tells that the example shows what cannot be computed: a message is made for each row.
func (g *form) fails() bool {
	c := &fn.Ctx{Zone: time.UTC, NullOnError: true}
	v, err := g.node.Eval(c, vec.NewBatch(g.own...))
	return err != nil || c.Errors > 0 || v.IsNull(0)
}

// perRow is how often a form allocates for a row: of a full batch beyond one of few rows.
func (g *form) perRow() float64 {
	measure := func(n int) float64 {
		cols := make([]*vec.Vector, len(g.own))
		for i, v := range g.own {
			b := vec.NewBuilder(v.Type)
			for range n {
				b.AppendFrom(v, 0)
			}
			cols[i] = b.Take()
		}
		batch := vec.NewBatch(cols...)
		c := &fn.Ctx{Zone: time.UTC, NullOnError: true, Scratch: &fn.Scratch{}}
		return testing.AllocsPerRun(3, func() {
			at := c.Mark()
			_, _ = g.node.Eval(c, batch)
			c.Release(at)
		})
	}
	return (measure(rowsOfAlloc) - measure(rowsOfAlloc/4)) / (rowsOfAlloc - rowsOfAlloc/4)
}

// TestAllocations: kernels of plain values allocate for batches, not for rows.
func TestAllocations(t *testing.T) {
	f := newForms(t)
	worst := map[string]float64{}
	for _, s := range f.cat.Functions.Scalars() {
		for _, e := range s.Examples {
			g := f.first(e.SQL)
			if g == nil || g.fails() {
				continue
			}
			if guarded(func() error { worst[s.Name] = max(worst[s.Name], g.perRow()); return nil }) != nil {
				t.Errorf("%s panics", g.sql)
			}
		}
	}
	for _, name := range strings.Fields(free) {
		if n, known := worst[name]; !known || n >= 0.05 {
			t.Errorf("%s allocates %.1f times a row (an example without NULL: %t)", name, n, known)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(worst)) {
		if *showAllocations && worst[name] >= 0.05 {
			t.Logf("%-28s %6.1f", name, worst[name])
		}
	}
}
