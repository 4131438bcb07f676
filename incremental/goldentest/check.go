package goldentest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }

// run executes a block and returns what its expected part should be. want is the
// expected part as it is, which says how much of a ledger is compared.
func (w *world) run(b *Block) ([]string, error) {
	switch b.Command {
	case "setup":
		return nil, w.define(b.text())
	case "query":
		err := w.query(b)
		if err != nil && b.Checked {
			return lines(err), nil
		}
		return nil, err
	case "clock":
		return nil, w.moveClock(b.Args)
	case "restart":
		return nil, w.restartAll()
	case "trigger":
		return w.runTriggerBlock(b)
	case "final":
		return w.final(b)
	case "explain":
		q, err := w.find(b.Args)
		if err != nil {
			return nil, err
		}
		return strings.Split(strings.TrimRight(q.q.Explain(), "\n"), "\n"), nil
	case "select":
		return w.selectRows(b)
	}
	return w.wrong(b)
}

func lines(err error) []string { return strings.Split(strings.TrimRight(err.Error(), "\n"), "\n") }

// wrong runs a statement that must be refused.
func (w *world) wrong(b *Block) ([]string, error) {
	err := w.base.Exec(w.ctx, diag.Source{Name: "test", Text: b.text()}, drain(w.ctx))
	if err == nil {
		return nil, fmt.Errorf("the statement is accepted, an error is expected")
	}
	return lines(err), nil
}

func (w *world) runTriggerBlock(b *Block) ([]string, error) {
	rows, err := w.blockInputs(b)
	if err != nil {
		return nil, err
	}
	names, _ := b.arguments()
	ran, err := w.trigger(rows, names)
	if err != nil || !b.Checked {
		return nil, err
	}
	want := splitByQuery(b.Expected, ran)
	var out []string
	for i, q := range ran {
		if len(ran) > 1 {
			out = append(out, q.name)
		}
		out = append(out, w.output(q)...)
		if k := ledgerKeys(want[i]); k != nil {
			out = append(out, q.ledger(k, w.form))
		}
	}
	return out, nil
}

func (w *world) blockInputs(b *Block) ([]input, error) {
	secs, err := sections(b.Body, w.sources)
	if err != nil {
		return nil, err
	}
	return inputs(secs, w.relations, func(f timeForm) { w.form = max(w.form, f) })
}

// output prints what a query's sink received in the last trigger.
func (w *world) output(q *underTest) []string {
	out := q.q.Plan.Outputs[0]
	rows, extra := q.result.last, ""
	switch out.Mode {
	case sink.Changelog:
		extra = "weight"
	case sink.Update:
		if out.Deletes {
			extra = "op"
		}
	default:
		rows = repeated(rows)
	}
	if !out.Ordered {
		rows = sorted(rows)
	}
	return w.table(out.OutputColumns(), rows, extra)
}

func (w *world) final(b *Block) ([]string, error) {
	q, err := w.find(b.Args)
	if err != nil {
		return nil, err
	}
	rows := repeated(q.result.all)
	if !q.q.Plan.Outputs[0].Ordered {
		rows = sorted(rows)
	}
	return w.table(q.q.Plan.Outputs[0].OutputColumns(), rows, ""), nil
}

// selectRows runs a batch SELECT over tables and views.
func (w *world) selectRows(b *Block) ([]string, error) {
	var cols []types.Column
	var rows []row
	err := w.base.Exec(w.ctx, diag.Source{Name: "select", Text: b.text()}, func(r *engine.Result) error {
		cols, rows = r.Columns, nil
		return r.Rows(context.Background(), func(batch *vec.Batch) error {
			c := batch.Clone()
			for i := range c.Rows() {
				rows = append(rows, row{c, c.Row(i), c.Weight(c.Row(i))})
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	rows = repeated(rows)
	if !strings.Contains(strings.ToUpper(b.text()), "ORDER BY") {
		rows = sorted(rows)
	}
	return w.table(cols, rows, ""), nil
}

// ledgerNames are what a ledger line may have.
func ledgerNames() []string { return []string{"watermark", "late", "bad", "partial", "state"} }

// ledgerKeys finds the keys of the ledger line that ends a section; nil = there is none.
func ledgerKeys(section []string) []string {
	if len(section) == 0 {
		return nil
	}
	words := strings.Fields(section[len(section)-1])
	if len(words) < 2 || !slices.Contains(ledgerNames(), words[0]) || strings.Contains(section[len(section)-1], "|") {
		return nil
	}
	var keys []string
	for _, x := range words {
		if slices.Contains(ledgerNames(), x) {
			keys = append(keys, x)
		}
	}
	return keys
}

// ledger prints the ledger of the last trigger.
func (q *underTest) ledger(keys []string, form timeForm) string {
	p := q.last
	var parts []string
	for _, k := range keys {
		v := ""
		switch k {
		case "watermark":
			v = "-"
			if p.Watermark != nil {
				v = formatTime(*p.Watermark, form)
			}
		case "late":
			v = formatInt(p.Rows.Late)
		case "bad":
			v = formatInt(p.Rows.Bad)
		case "partial":
			v = formatInt(p.Rows.Partial)
		case "state":
			n := int64(0)
			for _, o := range p.Operators {
				n += o.Total
			}
			v = formatInt(n)
		}
		parts = append(parts, k+" "+v)
	}
	return strings.Join(parts, "   ")
}

// splitByQuery cuts an expected part at the names of the queries.
func splitByQuery(expected []string, ran []*underTest) [][]string {
	out := make([][]string, len(ran))
	if len(ran) == 1 {
		out[0] = expected
		return out
	}
	at := -1
	for _, l := range expected {
		i := slices.IndexFunc(ran, func(q *underTest) bool { return q.name == strings.TrimSpace(l) })
		if i >= 0 {
			at = i
		} else if at >= 0 {
			out[at] = append(out[at], l)
		}
	}
	return out
}
