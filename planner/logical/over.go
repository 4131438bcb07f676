package logical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Over computes window functions: for each row of the input, one value a function,
// from the rows of its partition. Its schema is the input's, then the functions. All
// functions share partition and order; other windows are other Over nodes. Rows that
// are equal in the order are peers; where places count, the whole row orders them.
type Over struct {
	Input       Node
	PartitionBy []expr.Node
	Order       []SortKey
	Funcs       []OverFunc
}

// OverFunc is one call with OVER: a window function, or an aggregate over the frame.
type OverFunc struct {
	Window      *fn.Window // nil: Agg
	Impl        fn.WindowImpl
	Args        []expr.Node // of Window
	IgnoreNulls bool
	// Order, of Window, orders the rows of the frame for this function alone: it takes places
	// and neighbours among them.
	Order []SortKey
	Agg   Agg
	Frame Frame // if Framed; else zero
}

// Framed reports that the function sees the rows of the frame alone.
func (f OverFunc) Framed() bool {
	return f.Window == nil || f.Window.Kind.Framed() || len(f.Order) > 0
}

// Frame says which rows of the partition a function sees. With Unit ROWS, offsets count
// rows; with GROUPS, groups of peers; with RANGE, bounds have limits; with SESSION, both
// bounds have the limit that the next row of a session does not reach.
type Frame struct {
	Unit       fn.FrameUnit
	Start, End FrameBound
	Exclude    fn.Exclusion
}

// FrameBound is one end of a frame.
type FrameBound struct {
	Kind   fn.BoundKind
	Offset int64 // Preceding and Following of ROWS and GROUPS
	// By is the offset where it is not the same for all rows, never negative.
	By expr.Node
	// Limit, for Preceding and Following of RANGE, is the value of the order key at which
	// the frame of a row ends, over the input's columns: key − x or key + x. Rows at the
	// limit belong to the frame. It is NULL where the key is (the frame ends with the
	// peers), and where x leads out of the type (the frame goes to the last key).
	Limit expr.Node
	// Shift is x where it is a constant.
	Shift expr.Node
	// Down is a value less x, over a row whose column 0 is the value; nil where x is not a
	// constant.
	Down expr.Node
}

// Varies reports an offset that is not the same for all rows.
func (b FrameBound) Varies() bool { return b.By != nil || b.Limit != nil && b.Down == nil }

// exprs are the expressions of a bound, in place.
func (b *FrameBound) exprs() []*expr.Node {
	var out []*expr.Node
	for _, e := range []*expr.Node{&b.By, &b.Limit} {
		if *e != nil {
			out = append(out, e)
		}
	}
	return out
}

// Whole reports a frame that is all of the partition, for every row.
func (f Frame) Whole() bool {
	return f.Start.Kind == fn.UnboundedPreceding && f.End.Kind == fn.UnboundedFollowing && f.Exclude == fn.ExcludeNothing
}

// Type is the type of the function's column.
func (f OverFunc) Type() types.Type {
	if f.Window != nil {
		return f.Impl.Result
	}
	return f.Agg.Impl.Result
}

// Exprs are the expressions that the function reads, over the input's columns.
func (f OverFunc) Exprs() []expr.Node {
	out := append([]expr.Node(nil), f.Args...)
	out = append(out, f.Agg.Args...)
	if f.Agg.Filter != nil {
		out = append(out, f.Agg.Filter)
	}
	for _, k := range f.Agg.Order {
		out = append(out, k.Expr)
	}
	for _, k := range f.Order {
		out = append(out, k.Expr)
	}
	for _, b := range []FrameBound{f.Frame.Start, f.Frame.End} {
		for _, e := range b.exprs() {
			out = append(out, *e)
		}
	}
	return out
}

// Map returns a copy whose expressions are replaced, those of its aggregate too.
func (f OverFunc) Map(with func(expr.Node) expr.Node) OverFunc {
	f.Args, f.Agg.Args = mapList(f.Args, with), mapList(f.Agg.Args, with)
	if f.Agg.Filter != nil {
		f.Agg.Filter = with(f.Agg.Filter)
	}
	f.Agg.Order, f.Order = MapSortKeys(f.Agg.Order, with), MapSortKeys(f.Order, with)
	for _, b := range []*FrameBound{&f.Frame.Start, &f.Frame.End} {
		for _, e := range b.exprs() {
			*e = with(*e)
		}
	}
	return f
}

// MapSortKeys replaces the expressions of an order.
func MapSortKeys(keys []SortKey, with func(expr.Node) expr.Node) []SortKey {
	out := make([]SortKey, len(keys))
	for i, k := range keys {
		out[i] = k
		out[i].Expr = with(k.Expr)
	}
	return out
}

// Exprs are all expressions of the node, over the input's columns.
func (o *Over) Exprs() []expr.Node {
	out := append([]expr.Node(nil), o.PartitionBy...)
	for _, k := range o.Order {
		out = append(out, k.Expr)
	}
	for _, f := range o.Funcs {
		out = append(out, f.Exprs()...)
	}
	return out
}

// Schema implements Node.
func (o *Over) Schema() []types.Column { return schemaOf(o) }

func (o *Over) input() Node { return o.Input }

func (o *Over) own() []types.Column {
	out := make([]types.Column, len(o.Funcs))
	for i, f := range o.Funcs {
		out[i] = types.Column{Name: f.String(), Type: f.Type()}
	}
	return out
}

// Children implements Node.
func (o *Over) Children() []Node { return []Node{o.Input} }

// WithChildren implements Node.
func (o *Over) WithChildren(k []Node) Node {
	c := *o
	c.Input = k[0]
	return &c
}

// String is the call without its window.
func (f OverFunc) String() string {
	text := f.Agg.String
	if f.Window != nil {
		text = f.windowText
	}
	return text() + f.Frame.suffix()
}

func (f OverFunc) windowText() string {
	text := f.Window.Name + "("
	switch kind := f.Window.Kind; {
	case f.Impl.Steered:
		text += exprList(f.Args)
	case kind == fn.NTile:
		text += fmt.Sprint(f.Impl.N)
	case kind == fn.Lag || kind == fn.Lead:
		text += f.Args[0].String()
		if f.Impl.N != 1 || len(f.Args) > 1 {
			text += fmt.Sprintf(", %d", f.Impl.N)
		}
		if len(f.Args) > 1 {
			text += ", " + f.Args[1].String()
		}
	case kind == fn.NthValue:
		text += fmt.Sprintf("%s, %d", f.Args[0], f.Impl.N)
	default:
		text += exprList(f.Args)
	}
	for i, k := range f.Order {
		text += map[bool]string{true: " ORDER BY ", false: ", "}[i == 0] + k.String()
	}
	text = strings.Replace(text, "( ORDER", "(ORDER", 1) + ")"
	if f.IgnoreNulls {
		text += " IGNORE NULLS"
	}
	return text
}

// suffix is the frame as SQL, after a blank; nothing where there is none, or the default.
func (f Frame) suffix() string {
	if f == (Frame{}) || f == (Frame{Unit: fn.FrameRange, End: FrameBound{Kind: fn.CurrentRow}}) {
		return ""
	}
	text := fmt.Sprintf(" %s BETWEEN %s AND %s", f.Unit, f.Start, f.End)
	if f.Unit == fn.FrameSession {
		text = " SESSION WITH GAP " + f.End.Shift.String()
	}
	if f.Exclude != fn.ExcludeNothing {
		text += " " + f.Exclude.String()
	}
	return text
}

func (b FrameBound) String() string {
	text := fmt.Sprint(b.Offset)
	for _, e := range []expr.Node{b.Limit, b.By, b.Shift} {
		if e != nil {
			text = e.String()
		}
	}
	switch b.Kind {
	case fn.UnboundedPreceding:
		return "UNBOUNDED PRECEDING"
	case fn.Preceding:
		return text + " PRECEDING"
	case fn.CurrentRow:
		return "CURRENT ROW"
	case fn.Following:
		return text + " FOLLOWING"
	}
	return "UNBOUNDED FOLLOWING"
}

// Describe implements Node.
func (o *Over) Describe() string {
	text := "Over"
	if len(o.PartitionBy) > 0 {
		text += " partition by (" + exprList(o.PartitionBy) + ")"
	}
	for i, k := range o.Order {
		text += map[bool]string{true: " order by ", false: ", "}[i == 0] + k.String()
	}
	for i, f := range o.Funcs {
		text += map[bool]string{true: ": ", false: ", "}[i == 0] + f.String()
	}
	return text
}
