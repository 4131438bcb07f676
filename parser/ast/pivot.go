package ast

import "github.com/sqlstream/sqlstream/parser/diag"

// Pivot makes columns of values:
//
//	input PIVOT (aggregates FOR c IN (values)) AS alias
//	input PIVOT (aggregates FOR (a, b) IN ((1, 2) AS x, …)) AS alias
//
// Each value has as many expressions as For has columns.
type Pivot struct {
	diag.Span
	Input   TableRef
	Aggs    []SelectItem
	For     []Name
	Values  []PivotValue
	GroupBy []Name // empty: every column that is not used
	Alias   *Alias
}

// PivotValue is one value of a Pivot, which becomes a column for each aggregate.
type PivotValue struct {
	diag.Span
	Exprs []Expr
	Alias *Ident
}

// Unpivot makes rows of columns:
//
//	input UNPIVOT (value FOR name IN (a, b AS x)) AS alias
//	input UNPIVOT ((v, w) FOR name IN ((a, b), (c, d) AS x)) AS alias
//
// Each element of In has as many columns as Values.
type Unpivot struct {
	diag.Span
	Input        TableRef
	IncludeNulls bool
	Values       []Ident
	Name         Ident
	In           []UnpivotColumns
	Alias        *Alias
}

// UnpivotColumns are the columns that become one row, with what the row is called.
type UnpivotColumns struct {
	diag.Span
	Columns []Name
	Alias   *Ident
}

func (*Pivot) tableRef()   {}
func (*Unpivot) tableRef() {}
