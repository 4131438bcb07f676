package parser

import (
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// TestComputedWatermark: an event time may be computed where the watermark is stated,
// and STREAM may stand before a name.
func TestComputedWatermark(t *testing.T) {
	for sql, want := range map[string][2]bool{ // Expr set, Delay set
		"SELECT * FROM e WATERMARK ts + INTERVAL 1 HOUR AS et DELAY OF INTERVAL 10 MINUTES WHERE a > 1": {true, true},
		"SELECT * FROM e WATERMARK f(a, b) AS et DELAY '1 minute' AS x JOIN u ON x.a = u.a":             {true, true},
		"SELECT * FROM STREAM e WATERMARK ts DELAY '1 minute'":                                          {false, true},
		"SELECT * FROM e WATERMARK FOR ts AS ts - INTERVAL '1' HOUR":                                    {true, false},
	} {
		q, err := ParseQuery(diag.Source{Text: sql})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		from := q.Body.(*ast.Select).From
		if j, ok := from.(*ast.Join); ok {
			from = j.L
		}
		w := from.(*ast.TableName).Watermark
		if from.(*ast.TableName).Name.String() != "e" || w == nil || (w.Expr != nil) != want[0] || (w.Delay != nil) != want[1] {
			t.Errorf("%s: got %+v", sql, w)
		}
	}
	for _, sql := range []string{"SELECT * FROM e watermark JOIN u ON a = b", "SELECT * FROM stream WHERE a = 1", "SELECT * FROM stream AS s", "SELECT watermark FROM e watermark"} {
		if _, err := ParseQuery(diag.Source{Text: sql}); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
