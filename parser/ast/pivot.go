package ast

import "github.com/sqlstream/sqlstream/parser/diag"

// Pivot makes columns of values:
//
//	input PIVOT (aggregates FOR c IN (values)) AS alias
//	input PIVOT (aggregates FOR (a, b) IN ((1, 2) AS x, …) d IN (values)) AS alias
//	PIVOT input ON expression [IN (values)], … [USING aggregates] [GROUP BY columns]
//
// Each combination of values, one of each axis, becomes a column for each aggregate.
type Pivot struct {
	diag.Span
	Statement bool // written PIVOT input ON …; then it is all that its SELECT reads, with *
	Input     TableRef
	Aggs      []SelectItem
	Axes      []*PivotAxis
	GroupBy   []Name // empty: every column that is not used
	Alias     *Alias
}

// PivotAxis is what Pivot compares with values: a column or several, of a statement also
// expressions. Without Values they are the rows of Query, or those that the input has.
type PivotAxis struct {
	diag.Span
	On     []Expr
	Values []PivotValue
	Query  *Query
}

// PivotValue is one value of an axis, with as many expressions as the axis.
type PivotValue struct {
	diag.Span
	Exprs []Expr
	Alias *Ident
}

// Unpivot makes rows of columns:
//
//	input UNPIVOT (value FOR name IN (a, b AS x)) AS alias
//	input UNPIVOT ((v, w) FOR name IN ((a, b), (c, d) AS x)) AS alias
//	UNPIVOT input ON a, b AS x INTO NAME name VALUE value
//
// Each element of In has as many expressions as Values.
type Unpivot struct {
	diag.Span
	Statement    bool // written UNPIVOT input ON …; then it is all that its SELECT reads, with *
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
	Columns []Expr
	Alias   *Ident
}

func (*Pivot) tableRef()   {}
func (*Unpivot) tableRef() {}
