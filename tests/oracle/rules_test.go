package oracle

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// counting is a case as Spark would record it; spark replaces the recorded batches.
func counting(t *testing.T, mode, pacing, spark string) *Case {
	t.Helper()
	text := `{"name": "c", "kind": "window-tumbling", "mode": "` + mode + `", "pacing": "` + pacing + `",
	"sources": [{"name": "ev", "schema": [["ts", "timestamp"], ["k", "string"]], "watermark": {"column": "ts", "delay": "10 minutes"}, "batches": [
	[{"ts": "2024-01-01T12:01:00Z", "k": "a"}], [{"ts": "2024-01-01T12:25:00Z", "k": "b"}],
	[{"ts": "2024-01-01T12:02:00Z", "k": "late"}, {"ts": "2024-01-01T12:26:00Z", "k": "b"}]]}],
	"spark_sql": "SELECT window.start AS s, count(*) AS c FROM ev GROUP BY window(ts, '10 minutes')",
	"output_schema": [["s", "timestamp"], ["c", "bigint"]], "error": null, "batches": ` + spark + `}`
	c := &Case{}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The rules on one small stream whose third trigger has a late row: what counts, and
// what is one row away from counting.
func TestRules(t *testing.T) {
	const first, wrong = `{"s": "2024-01-01T12:00:00Z", "c": 1}`, `{"s": "2024-01-01T12:00:00Z", "c": 3}`
	const withLate = `{"s": "2024-01-01T12:00:00Z", "c": 2}`
	for _, x := range []struct{ name, mode, pacing, batches, want string }{
		{"the batch without data belongs to the one before", "append", "settled",
			`[{"rows": []}, {"rows": []}, {"no_data": true, "rows": [` + first + `]}, {"rows": [], "dropped_late": 1}]`, "passed"},
		{"another value", "append", "settled",
			`[{"rows": []}, {"rows": []}, {"no_data": true, "rows": [` + wrong + `]}, {"rows": [], "dropped_late": 1}]`, "failed"},
		{"nothing was late", "append", "settled",
			`[{"rows": []}, {"rows": []}, {"no_data": true, "rows": [` + first + `]}, {"rows": []}]`, "failed"},
		{"one batch later", "append", "burst", `[{"rows": []}, {"rows": []}, {"rows": [` + first + `]}]`, "deviation D1"},
		{"one batch later, with the late row", "append", "burst", `[{"rows": []}, {"rows": []}, {"rows": [` + withLate + `]}]`, "deviation D1"},
		{"one batch later, with one row too many", "append", "burst", `[{"rows": []}, {"rows": []}, {"rows": [` + wrong + `]}]`, "failed"},
		{"never", "append", "burst", `[{"rows": []}, {"rows": []}, {"rows": []}]`, "failed"},
		{"settled, with the late row", "append", "settled", `[{"rows": []}, {"rows": []}, {"no_data": true, "rows": []}, {"rows": [` + withLate + `]}]`, "failed"},
		{"too few batches", "append", "burst", `[{"rows": []}]`, "failed"},
	} {
		c := counting(t, x.mode, x.pacing, x.batches)
		v := Run(context.Background(), c, t.TempDir())
		if got, _, _ := strings.Cut(v.String(), ":"); got != x.want {
			t.Errorf("%s: want %s, got %s", x.name, x.want, v)
		}
	}
}

// What Spark refuses and we answer counts only if the reference gives our answer; what
// both refuse only with the same class of error.
func TestRefusals(t *testing.T) {
	for _, x := range []struct{ sql, phase, condition, want string }{
		{"SELECT nope FROM ev", "analysis", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "passed"},
		{"SELECT nope FROM ev", "analysis", "UNRESOLVED_ROUTINE", "failed"},
		{"SELECT no_such(k) FROM ev", "analysis", "UNRESOLVED_ROUTINE", "passed"},
		{"SELECT no_such(k) FROM ev", "start", "_LEGACY_ERROR_TEMP_3102", "not yet function no_such"},
		{"SELECT DISTINCT k FROM ev", "start", "_LEGACY_ERROR_TEMP_3102", "deviation D10"},
		{"SELECT CAST(k AS INT) FROM ev", "runtime", "CAST_INVALID_INPUT", "passed"},
		{"SELECT CAST(k AS INT) FROM ev", "runtime", "DIVIDE_BY_ZERO", "failed"},
		{"SELECT k FROM ev", "runtime", "CAST_INVALID_INPUT", "failed"},
	} {
		c := counting(t, "append", "burst", "[]")
		text := "refused"
		c.SQL, c.Error, c.Phase, c.Condition, c.Schema = x.sql, &text, x.phase, x.condition, nil
		v := Run(context.Background(), c, t.TempDir())
		if got, _, _ := strings.Cut(v.String(), ":"); got != x.want {
			t.Errorf("%s, %s: want %s, got %s", x.sql, x.condition, x.want, v)
		}
	}
}
