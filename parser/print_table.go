package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
)

func (pr *printer) table(t ast.TableRef) {
	switch t := t.(type) {
	case *ast.TableName:
		pr.name(t.Name)
		for _, h := range t.Hints {
			pr.put(" /*+ ", h, " */")
		}
		if t.AsOf != nil {
			pr.put(" FOR SYSTEM_TIME AS OF ")
			pr.expr(t.AsOf, 0)
		}
		pr.sample(t.Sample)
		pr.tableTail(t.Watermark, t.Alias)
	case *ast.File:
		if t.Stream {
			pr.put("STREAM ")
		}
		pr.put(quote(t.Path))
		pr.sample(t.Sample)
		pr.tableTail(t.Watermark, t.Alias)
	case *ast.Derived:
		if t.Lateral {
			pr.put("LATERAL ")
		}
		pr.put("(")
		pr.query(t.Query)
		pr.put(")")
		pr.sample(t.Sample)
		pr.tableTail(t.Watermark, t.Alias)
	case *ast.TableFunc:
		pr.tableFunc(t)
	case *ast.Join:
		pr.join(t)
	case *ast.Pivot:
		pr.pivot(t)
	case *ast.Unpivot:
		pr.unpivot(t)
	}
}

func (pr *printer) tableFunc(t *ast.TableFunc) {
	if name := t.Call.Name.Parts; t.Lateral && !(len(name) == 1 && name[0].Is("unnest") && !name[0].Quoted) {
		pr.put("LATERAL ")
	}
	pr.call(t.Call)
	if t.Ordinality {
		pr.put(" WITH ORDINALITY")
	}
	if t.AtBatch != nil {
		pr.put(" AT BATCH ")
		pr.literal(t.AtBatch)
	}
	pr.tableTail(t.Watermark, t.Alias)
}

func (pr *printer) sample(s *ast.Sample) {
	if s == nil {
		return
	}
	pr.put(" TABLESAMPLE (")
	pr.sampleSize(s)
	pr.put(")")
	pr.sampleSeed(s)
}

func (pr *printer) sampleSize(s *ast.Sample) {
	pr.literal(s.Size)
	if s.Rows {
		pr.put(" ROWS")
	} else {
		pr.put(" PERCENT")
	}
}

func (pr *printer) sampleSeed(s *ast.Sample) {
	if s.Seed != nil {
		pr.put(" REPEATABLE (")
		pr.literal(s.Seed)
		pr.put(")")
	}
}

func (pr *printer) tableTail(w *ast.Watermark, a *ast.Alias) {
	if w != nil {
		pr.put(" ")
		pr.watermark(w)
	}
	if a == nil {
		return
	}
	pr.put(" AS ")
	pr.ident(a.Name, true)
	if len(a.Columns) > 0 {
		pr.put(" (")
		pr.idents(a.Columns)
		pr.put(")")
	}
}

func (pr *printer) watermark(w *ast.Watermark) {
	pr.put("WATERMARK ")
	if w.Delay != nil {
		if w.Expr != nil { // in brackets, so that a column is no path
			pr.put("(")
			pr.expr(w.Expr, 0)
			pr.put(") AS ")
		}
		pr.name(w.Column)
		pr.put(" DELAY ")
		pr.interval(w.Delay)
		return
	}
	pr.put("FOR ")
	pr.name(w.Column)
	pr.put(" AS ")
	pr.expr(w.Expr, 0)
}

func (pr *printer) join(j *ast.Join) {
	pr.side(j.L, isComma(j.L) && !j.Comma)
	if j.Comma {
		pr.put(", ")
		pr.side(j.R, isComma(j.R))
		return
	}
	pr.put(" ")
	if j.Natural {
		pr.put("NATURAL ")
	}
	if j.Asof {
		pr.put("ASOF ")
	}
	pr.put(j.Kind.String(), " JOIN ")
	pr.side(j.R, isNested(j.R))
	if j.Match != nil {
		pr.put(" MATCH_CONDITION (")
		pr.expr(j.Match, 0)
		pr.put(")")
	}
	if n := j.Nearest; n != nil {
		pr.put(" NEAREST ")
		if n.Count != nil {
			pr.literal(n.Count)
			pr.put(" ")
		}
		pr.put("BY ", map[bool]string{true: "SIMILARITY ", false: "DISTANCE "}[n.Similarity])
		pr.expr(n.By, 0)
	}
	pr.clause(" ON ", j.On)
	if len(j.Using) > 0 {
		pr.put(" USING (")
		pr.idents(j.Using)
		pr.put(")")
	}
}

// isNested reports what stands on the right of a join in parentheses only.
func isNested(t ast.TableRef) bool {
	switch t.(type) {
	case *ast.Join, *ast.Pivot, *ast.Unpivot:
		return true
	}
	return false
}

func isComma(t ast.TableRef) bool {
	j, ok := t.(*ast.Join)
	return ok && j.Comma
}

func (pr *printer) side(t ast.TableRef, parens bool) {
	if parens {
		pr.put("(")
		defer pr.put(")")
	}
	pr.table(t)
}
