package scalar

import (
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// What a template prints it reads back; fewer digits are read too.
func TestTemplates(t *testing.T) {
	at := time.Date(2024, 2, 5, 17, 3, 9, 60_007_000, time.UTC).UnixMicro()
	for _, c := range []struct{ pattern, text string }{
		{"YYYY-MM-DD HH24:MI:SS.US", "2024-02-05 17:03:09.060007"},
		{"yyyymmddhh24miss.us", "20240205170309.060007"},
		{`"day" DD Mon, YY HH12:MI:SS.US PM`, "day 05 Feb, 24 05:03:09.060007 PM"},
		{"FMMonth DD YYYY hh:mi:ss.us am TZH:TZM", "February 05 2024 05:03:09.060007 pm +00:00"},
	} {
		p, err := compilePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(p.append(nil, momentOf(types.Timestamp, at, time.UTC))); got != c.text {
			t.Errorf("%s prints %q, not %q", c.pattern, got, c.text)
		}
		if got, ok := p.timeOf(types.Timestamp, c.text, time.UTC); !ok || got != at {
			t.Errorf("%s reads %q as %d, %v", c.pattern, c.text, got, ok)
		}
	}
	p, err := compilePattern("DD.MM.YYYY HH24:MI")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := p.timeOf(types.Timestamp, "5.2.2024 7:3", time.UTC); !ok || got != time.Date(2024, 2, 5, 7, 3, 0, 0, time.UTC).UnixMicro() {
		t.Errorf("few digits: %d, %v", got, ok)
	}
}

// Words that mean something else here are refused with what to write.
func TestTemplateRefusals(t *testing.T) {
	for pattern, part := range map[string]string{
		"YYYY Month": "write FMMonth", "YYYY MON": "write Mon", "YYYY D": "dayofweek", "YYYY xy": "double quotes", `YYYY "a`: "does not end", "HH24 Day": "write FMDay",
		"YYYY FMDAY": "write FMDay", "IYYY MI": "write YYYY", "YYYY WW": "weekofyear", "YYYY-MM-dd HH:mm:ss": "as minutes in Java",
	} {
		if _, err := compilePattern(pattern); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
