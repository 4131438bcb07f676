package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// refresh reads the option of that name.
func (b *Binder) refresh(dec option.Decoded, r *catalog.Relation, conn *source.Connector) {
	text, at := dec.Text("refresh"), dec.Span("refresh")
	if text == "" {
		return
	}
	every := int64(0)
	if !strings.EqualFold(text, "trigger") {
		d, err := option.Decode([]option.Spec{{Name: "refresh", Type: option.Duration}}, []option.Value{{Name: "refresh", Text: text, Span: at}})
		if err != nil {
			b.errorf(diag.BadOptionValue, at, "option \"refresh\" is %q, expected 'trigger' or a duration such as '1 minute'", text)
			return
		}
		every = d.Micros("refresh")
	}
	switch {
	case r.Streaming:
		b.errorf(diag.OptionConflict, at, "refresh is for tables: a source takes what is new in it anyway").
			WithHint("CREATE TABLE %s … declares a table", r.Name)
	case !conn.Refresh:
		b.errorf(diag.OptionConflict, at, "connector %s has nothing to read again", conn.Name).
			WithHint("leave refresh out")
	case r.Changelog:
		b.errorf(diag.OptionConflict, at, "the rows of %q are changes, which count once", r.Name).
			WithHint("declare it with CREATE SOURCE, which takes new changes as they come")
	default:
		r.Common.Refresh = &every
	}
}
