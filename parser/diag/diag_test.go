package diag

import (
	"errors"
	"testing"
)

func TestRender(t *testing.T) {
	src := &Source{Name: "report.sql", Text: "SELECT 1\nFROM t\nGROUP BY window(evnt_time, '10 minutes')\n"}
	d := Errorf("SQL2041", Span{32, 41}, "unknown column %q in source %q", "evnt_time", "clicks").
		WithHint("did you mean %q?", "event_time")
	want := `report.sql:3:17: error SQL2041: unknown column "evnt_time" in source "clicks"
  3 | GROUP BY window(evnt_time, '10 minutes')
    |                 ^^^^^^^^^
hint: did you mean "event_time"?
`
	if got := src.Render(d); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRenderKeepsTabsAndCountsWideCharacters(t *testing.T) {
	src := &Source{Text: "\tSELECT 名前 x"}
	got := src.Render(Errorf("SQL1010", Span{15, 16}, "no"))
	want := "1:12: error SQL1010: no\n  1 | \tSELECT 名前 x\n    | \t            ^\n"
	if got != want {
		t.Errorf("got %q want %q", got, want)
	}
}

func TestRenderOutsideTheText(t *testing.T) {
	for _, text := range []string{"", "a", "a\n", "a\r\nb"} {
		src := &Source{Text: text}
		for start := -1; start < 5; start++ {
			for end := -1; end < 9; end++ {
				src.Render(Errorf("SQL1010", Span{start, end}, "x"))
			}
		}
	}
}

func TestDidYouMean(t *testing.T) {
	names := []string{"event_time", "user", "amount", "COUNT"}
	for name, want := range map[string]string{
		"evnt_time": "event_time", "cuont": "COUNT", "xyzzy": "", "Usre": "user", "u": "", "amnt": "amount",
	} {
		if got := DidYouMean(name, names); got != want {
			t.Errorf("%s: got %q want %q", name, got, want)
		}
	}
}

func TestErrorUnwrapsToDiagnostics(t *testing.T) {
	var err error = NewError(nil, Errorf(Unexpected, Span{}, "one"), Errorf(Unclosed, Span{}, "two"))
	var d *Diagnostic
	if !errors.As(err, &d) || d.Message != "one" {
		t.Fatalf("got %v", d)
	}
	if err.Error() != "error SQL1010: one\nerror SQL1002: two" {
		t.Errorf("got %q", err.Error())
	}
}
