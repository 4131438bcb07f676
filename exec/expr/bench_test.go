package expr_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// benchBatch has a price, an event type as text and as a dictionary, a time, and a URL.
func benchBatch() *vec.Batch {
	n := vec.BatchSize
	price, event, at, url := vec.NewBuilder(types.Of(types.Int64)), vec.NewBuilder(types.Of(types.String)), vec.NewBuilder(types.Of(types.Timestamp)), vec.NewBuilder(types.Of(types.String))
	codes := make([]uint32, n)
	names := []string{"view", "click", "purchase"}
	for i := range n {
		price.AppendInt(int64(i*7919%100_000_000 + 1))
		event.AppendString(names[i*31%3])
		codes[i] = uint32(i * 31 % 3)
		at.AppendInt(1_700_000_000_000_000 + int64(i)*1500)
		url.AppendString(fmt.Sprintf("https://www.nexmark.com/%d/item.htm?query=1&channel_id=%d", i%7, i))
	}
	b := vec.NewBatch(price.Take(), event.Take(), vec.NewDict(vec.FromStrings(names), codes, nil), at.Take(), url.Take())
	return b
}

func BenchmarkExpr(b *testing.B) {
	r := newResolver(b)
	must := func(n expr.Node, err error) expr.Node {
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	batch := benchBatch()
	col := func(i int) expr.Node { return &expr.Column{Index: i, Name: fmt.Sprint("c", i), T: batch.Cols[i].Type} }
	price, event, dict, at, url := col(0), col(1), col(2), col(3), col(4)
	rate := expr.Decimal(types.DecimalOf(3, 3), types.Int128From(908))
	num := func(x int64) expr.Node { return expr.Int(types.Of(types.Int32), x) }
	dec := must(r.Resolve("*", rate, price))
	cases := []struct {
		name string
		n    expr.Node
	}{
		{"price+1", must(r.Resolve("+", price, num(1)))},
		{"0.908*price", dec},
		{"price%123=0", must(r.Resolve("=", must(r.Resolve("%", price, num(123))), num(0)))},
		{"price>c", must(r.Resolve(">", price, num(50_000_000)))},
		{"dec>c", must(r.Resolve(">", dec, num(1_000_000)))},
		{"text='view'", must(r.Resolve("=", event, expr.Text("view")))},
		{"dict='view'", must(r.Resolve("=", dict, expr.Text("view")))},
		{"textIN4", must(r.Resolve("in", event, expr.Text("view"), expr.Text("a"), expr.Text("b"), expr.Text("c")))},
		{"lower(text)", must(r.Resolve("lower", event))},
		{"hour", must(r.Resolve("hour", at))},
		{"date_format", must(r.Resolve("date_format", at, expr.Text("yyyy-MM-dd HH:mm")))},
		{"date_trunc", must(r.Resolve("date_trunc", expr.Text("minute"), at))},
		{"regexp_extract", must(r.Resolve("regexp_extract", url, expr.Text("(&|^)channel_id=([^&]*)"), num(2)))},
		{"split[2]", must(r.Resolve("$at", must(r.Resolve("split", url, expr.Text("/"))), num(4)))},
		{"case", must(r.Case([]expr.Node{must(r.Resolve("<", price, num(10_000_000)))}, []expr.Node{expr.Text("a")}, expr.Text("b")))},
		{"caseTexts", must(r.Case([]expr.Node{must(r.Resolve("<", price, num(8_000_000)))}, []expr.Node{event}, url))},
		{"caseTextElse", must(r.Case([]expr.Node{must(r.Resolve("<", price, num(8_000_000)))}, []expr.Node{event}, expr.Text("other")))},
		{"caseNumbers", must(r.Case([]expr.Node{must(r.Resolve("<", price, num(10_000_000)))}, []expr.Node{price}, num(0)))},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			ctx := &fn.Ctx{Zone: time.UTC, Scratch: &fn.Scratch{}}
			for b.Loop() {
				m := ctx.Mark()
				if _, err := c.n.Eval(ctx, batch); err != nil {
					b.Fatal(err)
				}
				ctx.Release(m)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vec.BatchSize, "ns/row")
		})
		if c.n.Type().Kind != types.Bool {
			continue
		}
		b.Run("filter "+c.name, func(b *testing.B) {
			ctx := &fn.Ctx{Zone: time.UTC, Scratch: &fn.Scratch{}}
			for b.Loop() {
				m := ctx.Mark()
				if _, err := expr.Filter(ctx, c.n, batch); err != nil {
					b.Fatal(err)
				}
				ctx.Release(m)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vec.BatchSize, "ns/row")
		})
	}
}
