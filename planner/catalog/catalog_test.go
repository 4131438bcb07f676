package catalog

import (
	"errors"
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

func TestNamesMatchExactlyThenFolded(t *testing.T) {
	c := New(nil, nil)
	c.Put(&View{Name: "Clicks"})
	if o, err := c.Find("clicks"); err != nil || o == nil || o.ObjectName() != "Clicks" {
		t.Errorf("got %v %v", o, err)
	}
	c.Put(&View{Name: "CLICKS"})
	if o, err := c.Find("Clicks"); err != nil || o.ObjectName() != "Clicks" {
		t.Errorf("the exact spelling must win: %v %v", o, err)
	}
	var amb *AmbiguousError
	if _, err := c.Find("clicks"); !errors.As(err, &amb) || amb.Error() != `name "clicks" is ambiguous: it matches "CLICKS", "Clicks"` {
		t.Errorf("got %v", err)
	}
	d := c.Clone()
	d.Drop("CLICKS")
	if len(d.Names()) != 1 || len(c.Names()) != 2 {
		t.Errorf("a clone is not independent: %v %v", d.Names(), c.Names())
	}
	if o, err := c.Find("nothing"); o != nil || err != nil {
		t.Errorf("got %v %v", o, err)
	}
}

func TestInputsLeaveOutComputedColumns(t *testing.T) {
	r := &Relation{Columns: []Column{
		{Column: types.Column{Name: "a"}},
		{Column: types.Column{Name: "b"}, Kind: Computed, Expr: expr.Bool(true)},
		{Column: types.Column{Name: "p"}, Kind: Metadata, From: "path"},
		{Column: types.Column{Name: "d"}, Kind: Partition},
	}}
	cols, at := r.Inputs()
	if len(cols) != 3 || at[1] != 2 || cols[1].Metadata != "path" || !cols[2].Partition || cols[0].Partition {
		t.Errorf("got %+v %v", cols, at)
	}
}

func TestDecodeCommon(t *testing.T) {
	d, err := option.Decode(CommonSpecs(), []option.Value{{Name: "maxFilesPerTrigger", Text: "3"}, {Name: "idle_timeout", Text: "1 minute"},
		{Name: "on_error", Text: "divert"}, {Name: "bad_rows", Text: "bad"}, {Name: "max_bytes_per_trigger", Text: "1 KiB"}})
	if err != nil {
		t.Fatal(err)
	}
	got := DecodeCommon(d)
	want := Common{Limits: source.Limits{Files: 3, Bytes: 1024}, IdleTimeout: 60_000_000, OnError: source.Divert, BadRows: "bad"}
	if got != want {
		t.Errorf("got %+v want %+v", got, want)
	}
	if _, err := option.Decode(CommonSpecs(), []option.Value{{Name: "idle_timeout", Text: "-1 minute"}}); err == nil {
		t.Error("a negative timeout passes")
	}
}
