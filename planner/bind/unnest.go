package bind

import (
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// unnesting is how deep UNNEST goes: through arrays in arrays first, then through structs,
// each one level.
type unnesting struct {
	depth   int  // 0 = it was not said
	parents bool // names of nested fields have those of the fields around in front
}

// withoutEnd is a depth that no type has.
const withoutEnd = 1 << 20

// unnesting reads recursive, max_depth and keep_parent_names, which are DuckDB's, and returns
// the call without them.
func (b *Binder) unnesting(x *ast.Call) (*ast.Call, unnesting, bool) {
	var u unnesting
	if !isUnnest(x) || len(x.Named) == 0 {
		return x, u, true
	}
	for _, n := range x.Named {
		l, _ := n.Value.(*ast.Literal)
		yes := l != nil && l.Kind == ast.LitBool && strings.EqualFold(l.Text, "true")
		depth := 0
		if l != nil && l.Kind == ast.LitInt {
			depth, _ = strconv.Atoi(l.Text)
		}
		switch {
		case n.Name.Is("recursive") && l != nil && l.Kind == ast.LitBool:
			if yes {
				u.depth = withoutEnd
			}
		case n.Name.Is("keep_parent_names") && l != nil && l.Kind == ast.LitBool:
			u.parents = yes
		case n.Name.Is("max_depth") && depth > 0:
			u.depth = max(u.depth, min(depth, withoutEnd))
		default:
			b.errorf(diag.WrongArguments, n.Name.Span, "%s has no parameter %q of this kind", x.Name, n.Name.Name).
				WithHint("write recursive := true, max_depth := 2 or keep_parent_names := true")
			return nil, u, false
		}
	}
	call := *x
	call.Named = nil
	return &call, u, true
}

func isUnnest(x *ast.Call) bool { return strings.EqualFold(x.Name.String(), "unnest") }

// deep makes a call of the generator that goes so deep; the call itself where UNNEST without
// a depth means the same.
func (u unnesting) deep(name string, args []expr.Node) (string, []expr.Node) {
	if u.depth == 0 && !u.parents || len(args) != 1 || args[0].Type().Kind == types.Map {
		return name, args
	}
	depth := u.depth
	if depth == 0 {
		depth = 2
	}
	return "$unnest", append(args, expr.Int(types.Of(types.Int32), int64(depth)), expr.Bool(u.parents))
}

// fieldsOf are the fields of a struct, those of structs in it with it, and their names.
func (u unnesting) fieldsOf(x expr.Node, before string) (nodes []expr.Node, names []string) {
	inner := unnesting{depth: u.depth - 1, parents: u.parents}
	for i, f := range x.Type().Fields {
		name := before + f.Name
		if field := newField(x, i); f.Type.Kind == types.Struct && u.depth > 1 {
			around := ""
			if u.parents {
				around = name + "."
			}
			kids, kidNames := inner.fieldsOf(field, around)
			nodes, names = append(nodes, kids...), append(names, kidNames...)
		} else {
			nodes, names = append(nodes, field), append(names, name)
		}
	}
	return nodes, names
}

// unnestStruct makes the fields of a struct that stands in UNNEST alone columns of the select
// list: no rows, so that they stand beside every row of another generator.
func (sel *selectBinder) unnestStruct(x *ast.Call, u unnesting, args []expr.Node) ([]expr.Node, []string) {
	if !isUnnest(x) || len(args) != 1 || args[0].Type().Kind != types.Struct {
		return nil, nil
	}
	return u.fieldsOf(args[0], "")
}
