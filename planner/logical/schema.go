package logical

import "github.com/sqlstream/sqlstream/exec/types"

// A plan of many joins, windows or lateral views is a tower in which each node has the columns
// of those below. Rules and lower ask every node for its columns: what is here answers
// without the schemas of all nodes below.

// extending is a node whose columns are those of its input, and its own behind them.
type extending interface {
	input() Node
	own() []types.Column
}

// appendSchema appends a node's columns, without a copy for each node of a tower.
func appendSchema(dst []types.Column, n Node) []types.Column {
	switch x := n.(type) {
	case *Filter:
		return appendSchema(dst, x.Input)
	case *Sort:
		return appendSchema(dst, x.Input)
	case *Join:
		dst = appendSchema(dst, x.L)
		switch x.Kind {
		case Semi, Anti:
			return dst
		case Mark:
			return append(dst, types.Column{Name: MarkColumn, Type: types.Of(types.Bool)})
		}
		return appendSchema(dst, x.R)
	case *Apply:
		return appendSchema(dst, &x.Join)
	case extending:
		return append(appendSchema(dst, x.input()), x.own()...)
	}
	return append(dst, n.Schema()...)
}

// schemaOf is the schema of a node of a tower.
func schemaOf(n Node) []types.Column {
	return appendSchema(make([]types.Column, 0, Width(n)), n)
}

// column is one of a node's columns.
func column(n Node, i int) types.Column {
	switch x := n.(type) {
	case *Filter:
		return column(x.Input, i)
	case *Sort:
		return column(x.Input, i)
	case *Shared:
		return column(x.Input, i)
	case *Scan:
		if i < len(x.Relation.Columns) {
			return x.Relation.Columns[i].Column
		}
	case *Project:
		return types.Column{Name: x.Names[i], Type: x.Exprs[i].Type()}
	case *Aggregate:
		if k := len(x.Keys); i >= k {
			return x.Aggs[i-k].column()
		}
		return types.Column{Name: x.KeyNames[i], Type: x.Keys[i].Type()}
	case *Join:
		w := Width(x.L)
		switch {
		case i < w:
			return column(x.L, i)
		case x.Kind != Semi && x.Kind != Anti && x.Kind != Mark:
			return column(x.R, i-w)
		}
	case *Apply:
		return column(&x.Join, i)
	case extending:
		if w := Width(x.input()); i >= w {
			return x.own()[i-w]
		}
		return column(x.input(), i)
	}
	return n.Schema()[i]
}

// Width is the number of a node's columns.
func Width(n Node) int {
	switch x := n.(type) {
	case *Filter:
		return Width(x.Input)
	case *Sort:
		return Width(x.Input)
	case *Shared:
		return Width(x.Input)
	case *Project:
		return len(x.Exprs)
	case *Scan:
		n := len(x.Relation.Columns) + len(x.Extra)
		if x.Versions {
			n++
		}
		return n
	case *Join:
		switch x.Kind {
		case Semi, Anti:
			return Width(x.L)
		case Mark:
			return Width(x.L) + 1
		}
		return Width(x.L) + Width(x.R)
	case *Apply:
		return Width(&x.Join)
	case *Aggregate:
		return len(x.Keys) + len(x.Aggs)
	case *Values:
		return len(x.Columns)
	case *Over:
		return Width(x.Input) + len(x.Funcs)
	case extending:
		return Width(x.input()) + len(x.own())
	}
	return len(n.Schema())
}
