package bind

import (
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// lookup reads the options of tables that are asked for single rows.
func (b *Binder) lookup(dec option.Decoded, r *catalog.Relation, conn *source.Connector) {
	if !dec.Bool("lookup") {
		return
	}
	at := dec.Span("lookup")
	switch {
	case r.Streaming:
		b.errorf(diag.OptionConflict, at, "lookup is for tables, whose rows are found by their keys").
			WithHint("CREATE TABLE %s … declares a table", r.Name)
	case !conn.Lookup:
		b.errorf(diag.OptionConflict, at, "connector %s finds no single rows", conn.Name).
			WithHint("leave lookup out: the table is read when the query starts")
	case r.Common.Refresh != nil:
		b.errorf(diag.OptionConflict, at, "a table is either read again and again, or asked for single rows").
			WithHint("leave lookup or refresh out")
	default:
		r.Common.Lookup = &catalog.Lookup{Rows: int(dec.Int("lookup_cache_rows")), TTL: dec.Micros("lookup_cache_ttl")}
	}
}
