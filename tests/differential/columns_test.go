package differential

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// columnRows is how many calls stand in one column.
const columnRows = 8

// TestColumns: a function of columns gives in each row what it gives for the constants of the
// row, NULLs among them, in whole columns and where a filter has left rows out. Functions that
// need a constant, or have another type for one, are not compared.
func TestColumns(t *testing.T) {
	r, err := builtin.Functions()
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHere()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx := context.Background()
	if err := h.e.Exec(ctx, diag.Source{Text: "SET eval_error = 'null'"}, func(*engine.Result) error { return nil }); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, f := range r.Scalars() {
		if f.Volatility != fn.Immutable || f.Hidden {
			continue
		}
		for _, tuples := range [][][]value{tuplesOf(newGenerator(seed, f.Name), f, maxTuples), tuplesOf(newYounger(seed, f.Name), f, 2*maxYounger)} {
			for _, rows := range byTypes(tuples) {
				compared += columnsOf(t, h, ctx, f, rows)
			}
		}
	}
	t.Logf("%d rows compared", compared)
	if compared < 3000 {
		t.Errorf("only %d rows were compared", compared)
	}
}

// byTypes are lists of arguments of the same types, the first two of them with rows enough.
func byTypes(tuples [][]value) [][][]value {
	at := map[string]int{}
	var out [][][]value
	for _, tuple := range tuples {
		key := ""
		for _, v := range tuple {
			key += v.t.String() + " "
		}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key], out = i, append(out, nil)
		}
		if len(out[i]) < columnRows {
			out[i] = append(out[i], tuple)
		}
	}
	kept := out[:0]
	for _, rows := range out {
		if len(rows) > 2 && len(rows[0]) > 0 && len(kept) < 2 {
			kept = append(kept, rows)
		}
	}
	return kept
}

// columnsOf compares one function over rows, and tells how many were compared.
func columnsOf(t *testing.T, h *Here, ctx context.Context, f *fn.Scalar, rows [][]value) int {
	t.Helper()
	var names, lines, constants []string
	for k := range rows[0] {
		names = append(names, fmt.Sprintf("c%d", k))
	}
	for i, tuple := range rows {
		args := spell(tuple, "")
		lines = append(lines, fmt.Sprintf("(%d, %s)", i, strings.Join(args, ", ")))
		constants = append(constants, call(f.Name, args))
	}
	from := fmt.Sprintf(" FROM (VALUES %s) AS v(i, %s)", strings.Join(lines, ", "), strings.Join(names, ", "))
	want := h.Ask(ctx, &Case{Kind: "query", SQL: "SELECT " + strings.Join(constants, ", ")})
	n := 0
	for _, where := range []string{"", " WHERE i % 2 = 1"} {
		got := h.Ask(ctx, &Case{Kind: "query", SQL: "SELECT i, " + call(f.Name, names) + from + where})
		if want.Err != "" || got.Err != "" {
			return n
		}
		for _, row := range got.Rows {
			var i int
			if _, err := fmt.Sscan(fmt.Sprint(row[0]), &i); err != nil {
				t.Fatal(err)
			}
			if !want.Cols[i].Type.Equal(got.Cols[1].Type) {
				continue
			}
			n++
			if !reflect.DeepEqual(row[1], want.Rows[0][i]) {
				t.Errorf("%s: %v%s, of columns %v", constants[i], want.Rows[0][i], where, row[1])
			}
		}
	}
	return n
}
