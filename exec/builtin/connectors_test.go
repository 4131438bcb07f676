package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/null"
	"github.com/sqlstream/sqlstream/exec/source/rate"
)

func connectors(t *testing.T) *Connectors {
	t.Helper()
	c, err := NewConnectors("test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConnectorsByName(t *testing.T) {
	c := connectors(t)
	if s, ok := c.Source("FileSystem"); !ok || s.Name != "file" {
		t.Error("no source by alias")
	}
	if s, ok := c.Sink("NOOP"); !ok || s.Name != "null" {
		t.Error("no sink by alias")
	}
	if _, ok := c.Format("JSON"); !ok {
		t.Error("no format json")
	}
	if got := c.SourceNames(); !slices.Contains(got, "file") || !slices.Contains(got, "rate") {
		t.Error(got)
	}
	if got := c.SinkNames(); !slices.Contains(got, "file") || !slices.Contains(got, "null") {
		t.Error(got)
	}
	if err := c.AddSource(rate.Connector()); err == nil {
		t.Error("a second rate source was taken")
	}
	if err := c.AddSink(null.Connector()); err == nil {
		t.Error("a second null sink was taken")
	}
}

// Every sink takes or refuses each mode in a sentence, and every option is described:
// the reference is generated from them.
func TestConnectorsDescribeThemselves(t *testing.T) {
	c := connectors(t)
	for _, s := range c.sinks {
		sentence(t, s.Name, s.Doc)
		options(t, s.Name, s.Options)
		for m := sink.Append; m <= sink.Changelog; m++ {
			if (s.Modes[m] == "") == (s.Refused[m] == "") {
				t.Errorf("sink %s: mode %s is neither taken nor refused, or both", s.Name, m)
			}
			sentence(t, s.Name+" "+m.String(), s.Modes[m]+s.Refused[m])
		}
	}
	for _, s := range c.sources {
		sentence(t, s.Name, s.Doc)
		options(t, s.Name, s.Options)
	}
	for _, f := range c.formats {
		sentence(t, f.Name, f.Doc)
		options(t, f.Name+" reading", f.ReadOptions)
		options(t, f.Name+" writing", f.WriteOptions)
	}
}

func sentence(t *testing.T, of, text string) {
	t.Helper()
	if !strings.HasSuffix(text, ".") || strings.ToUpper(text[:1]) != text[:1] {
		t.Errorf("%s: %q is no sentence", of, text)
	}
}

func options(t *testing.T, of string, specs []option.Spec) {
	t.Helper()
	for _, s := range specs {
		sentence(t, of+" option "+s.Name, s.Doc)
	}
	var given []option.Value
	for _, s := range specs {
		if s.Required {
			given = append(given, option.Value{Name: s.Name, Text: map[bool]string{true: "1", false: "x"}[s.Type == option.Int]})
		}
	}
	if _, err := option.Decode(specs, given); err != nil {
		t.Errorf("%s: the defaults are refused: %v", of, err)
	}
}
