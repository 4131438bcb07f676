package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Cast converts to another type.
type Cast struct {
	X   Node
	To  types.Type
	Try bool // NULL where the value cannot be converted

	f    *fn.Scalar
	impl fn.Impl
}

// NewCast converts x to a type; x itself if it has the type. It fails if there is no
// such conversion. It does not fold: see Resolver.Cast.
func NewCast(x Node, to types.Type, try bool) (Node, error) {
	from := x.Type()
	if from.Equal(to) {
		return x, nil
	}
	if l, ok := x.(*Const); ok && from.Kind == types.Null && l.IsNull() {
		return Null(to), nil
	}
	if !types.CanCast(from, to) {
		return nil, &ArgumentError{Func: "CAST", Msg: castMessage(from, to)}
	}
	n := &Cast{X: x, To: to, Try: try}
	n.f = castFunction
	n.impl = fn.Impl{Args: []types.Type{from}, Result: to, Eval: cast.Kernel(from, to, try), Total: cast.Total(from, to)}
	return n, nil
}

// castFunction stands for every cast where exec/fn wants a function.
var castFunction = &fn.Scalar{Name: "cast", Nulls: fn.Propagate}

func castMessage(from, to types.Type) string {
	msg := "does not convert " + from.String() + " to " + to.String()
	if from.IsNumeric() && to.IsTime() {
		msg += "; use to_timestamp(seconds) or timestamp_millis(ms)"
	}
	if from.IsTime() && to.IsNumeric() {
		msg += "; use unix_timestamp(t), unix_millis(t) or unix_micros(t)"
	}
	if from.Kind == types.Time && to.IsTime() {
		msg += "; a time of day has no date: add one, as in DATE '2024-01-31' + time"
	}
	if from.Kind == types.Date && to.Kind == types.Time {
		msg += "; a date has no time of day"
	}
	return msg
}

// Type implements Node.
func (n *Cast) Type() types.Type { return n.To }

// Eval implements Node.
func (n *Cast) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := n.X.Eval(c, b)
	if err != nil {
		return nil, err
	}
	return Apply(c, n.f, &n.impl, []*vec.Vector{v}, fn.Rows{N: b.N, Sel: b.Sel})
}

func (n *Cast) String() string {
	if n.Try {
		return "TRY_CAST(" + n.X.String() + " AS " + n.To.String() + ")"
	}
	return "CAST(" + n.X.String() + " AS " + n.To.String() + ")"
}

// Children implements Node.
func (n *Cast) Children() []Node { return []Node{n.X} }

// WithChildren implements Node.
func (n *Cast) WithChildren(kids []Node) Node {
	c := *n
	c.X = kids[0]
	return &c
}
