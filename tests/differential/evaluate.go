package differential

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Here is this engine.
type Here struct{ e *engine.Engine }

// NewHere opens an engine without a directory of its own; the caller closes it.
func NewHere() (*Here, error) {
	e, err := engine.Open(engine.Options{Clock: clock.NewFake(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)), Workers: 1, Stdout: io.Discard})
	if err != nil {
		return nil, err
	}
	return &Here{e}, nil
}

// Close ends the engine.
func (h *Here) Close() { h.e.Kill() }

// Result is an answer of this engine.
type Result struct {
	Cols []types.Column
	Rows [][]any // as in Answer
	Err  string
}

// Ask answers a case.
func (h *Here) Ask(ctx context.Context, c *Case) Result {
	sql := c.SQL
	if c.Kind == "expr" {
		sql = "SELECT " + sql
	}
	var out Result
	err := h.e.Exec(ctx, diag.Source{Text: sql}, func(r *engine.Result) error {
		if r.Rows == nil {
			return errors.New("it gives no rows")
		}
		out.Cols = r.Columns
		return r.Rows(ctx, func(b *vec.Batch) error {
			for i := range b.Rows() {
				row := make([]any, len(b.Cols))
				for k, col := range b.Cols {
					row[k] = encode(col, b.Row(i))
				}
				out.Rows = append(out.Rows, row)
			}
			return nil
		})
	})
	if err != nil {
		lines := strings.Split(err.Error(), "\n")
		return Result{Err: lines[0]}
	}
	return out
}

// encode turns a value into the form of recorded answers.
func encode(v *vec.Vector, row int) any {
	if v.IsNull(row) {
		return nil
	}
	f, i := v.At(row)
	switch f.Type.Kind {
	case types.Bytes:
		return hex.EncodeToString(f.Bytes(i))
	case types.Float64:
		return strconv.FormatFloat(f.F64[i], 'g', -1, 64)
	case types.Float32:
		return strconv.FormatFloat(f.F64[i], 'g', -1, 32)
	case types.Interval:
		iv := f.Iv[i]
		return fmt.Sprintf("%d %d %d", iv.Months, iv.Days, iv.Micros)
	case types.Array:
		out := []any{}
		for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
			out = append(out, encode(f.Child[0], e))
		}
		return out
	case types.Map:
		var pairs []any
		for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
			pairs = append(pairs, []any{encode(f.Child[0], e), encode(f.Child[1], e)})
		}
		return map[string]any{"": pairs}
	case types.Struct:
		var pairs []any
		for k, field := range f.Type.Fields {
			pairs = append(pairs, []any{field.Name, encode(f.Child[k], i)})
		}
		return map[string]any{"": pairs}
	}
	return vec.RowString(v, row, time.UTC)
}

// together is how many expressions are asked in one SELECT.
const together = 50

// All answers cases in order: expressions in groups, and one by one where a group has an
// error.
func (h *Here) All(ctx context.Context, cases []*Case) []Result {
	out := make([]Result, 0, len(cases))
	for len(cases) > 0 {
		n := 1
		for n < min(together, len(cases)) && cases[0].groups() && cases[n].groups() {
			n++
		}
		out = append(out, h.several(ctx, cases[:n])...)
		cases = cases[n:]
	}
	return out
}

// groups reports that a case may be asked together with others: no engine answered with
// an error, so that this one will hardly do it either.
func (c *Case) groups() bool {
	for _, a := range c.Answers {
		if a.Err != "" {
			return false
		}
	}
	return c.Kind == "expr"
}

// several halves a group that fails.
func (h *Here) several(ctx context.Context, group []*Case) []Result {
	if len(group) == 1 {
		return []Result{h.Ask(ctx, group[0])}
	}
	list := make([]string, len(group))
	for i, c := range group {
		list[i] = c.SQL
	}
	r := h.Ask(ctx, &Case{Kind: "expr", SQL: strings.Join(list, ", ")})
	if r.Err != "" || len(r.Rows) != 1 || len(r.Cols) != len(group) {
		half := len(group) / 2
		return append(h.several(ctx, group[:half]), h.several(ctx, group[half:])...)
	}
	out := make([]Result, len(group))
	for i := range group {
		out[i] = Result{Cols: r.Cols[i : i+1], Rows: [][]any{r.Rows[0][i : i+1]}}
	}
	return out
}
