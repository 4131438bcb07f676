package logical

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// Scan reads a relation: all its columns in declared order, then the extra ones.
type Scan struct {
	Relation *catalog.Relation
	Alias    string
	Finite   bool // read once, as a table
	// Extra are computed columns that carry a watermark stated above a projection, over
	// the relation's columns.
	Extra     []expr.Node
	Names     []string // of Extra
	Watermark *Watermark
	// Versions, of a streaming source with a primary key: all rows that came, none in the place
	// of another, and a further column DeletedColumn.
	Versions bool
}

// DeletedColumn tells whether a row of a scan of versions is a deletion.
const DeletedColumn = "deleted"

// Watermark is the event time of a scan and how late rows may be.
type Watermark struct {
	Col   int // of the scan's schema
	Delay types.IntervalValue
	Where expr.Node // rows that move it, nil = all
}

// Schema implements Node.
func (s *Scan) Schema() []types.Column {
	out := s.Relation.Schema()
	for i, e := range s.Extra {
		out = append(out, types.Column{Name: s.Names[i], Type: e.Type()})
	}
	if s.Versions {
		out = append(out, types.Column{Name: DeletedColumn, Type: types.Of(types.Bool)})
	}
	return out
}

// Children implements Node.
func (s *Scan) Children() []Node { return nil }

// WithChildren implements Node.
func (s *Scan) WithChildren([]Node) Node { return s }

// Describe implements Node.
func (s *Scan) Describe() string {
	text := "Scan " + s.Relation.Name
	if s.Versions {
		text += " versions"
	}
	if w := s.Watermark; w != nil {
		text += " watermark " + s.Schema()[w.Col].Name
		if w.Where != nil {
			text += " where " + w.Where.String()
		}
	}
	return text
}

// Values is a list of constant rows.
type Values struct {
	Columns []types.Column
	Rows    [][]expr.Node
}

// Schema implements Node.
func (v *Values) Schema() []types.Column { return v.Columns }

// Children implements Node.
func (v *Values) Children() []Node { return nil }

// WithChildren implements Node.
func (v *Values) WithChildren([]Node) Node { return v }

// Describe implements Node.
func (v *Values) Describe() string {
	var text strings.Builder
	text.WriteString("Values")
	for _, r := range v.Rows {
		text.WriteString(" (" + exprList(r) + ")")
	}
	return text.String()
}
