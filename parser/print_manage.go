package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// management prints the statements that run nothing.
func (pr *printer) management(s ast.Statement) {
	switch s := s.(type) {
	case *ast.Explain:
		pr.explain(s)
	case *ast.Show:
		pr.show(s)
	case *ast.Describe:
		pr.describe(s)
	case *ast.Set:
		pr.put("SET")
		if s.Key != "" {
			pr.put(" ", optionKey(s.Key))
		}
		if s.Value != nil {
			pr.put(" = ")
			pr.literal(s.Value)
		}
	case *ast.Reset:
		pr.put("RESET ")
		switch {
		case s.Key == "":
			pr.put("ALL")
		case strings.EqualFold(s.Key, "ALL"):
			pr.put(quote(s.Key))
		default:
			pr.put(optionKey(s.Key))
		}
	case *ast.Drop:
		pr.drop(s)
	case *ast.QueryControl:
		pr.control(s)
	case *ast.RunTrigger:
		pr.put("RUN TRIGGER")
		pr.optionalName(" FOR ", s.For)
	case *ast.Unsupported:
		pr.put(s.What)
	default:
		pr.definitions(s)
	}
}

// definitions prints the statements on functions, prepared statements and objects.
func (pr *printer) definitions(s ast.Statement) {
	switch s := s.(type) {
	case *ast.CreateFunction:
		pr.createFunction(s)
	case *ast.Prepare:
		pr.prepare(s)
	case *ast.Execute:
		pr.execute(s)
	case *ast.Deallocate:
		pr.deallocate(s)
	case *ast.Alter:
		pr.alter(s)
	case *ast.Copy:
		pr.copy(s)
	case *ast.Refresh:
		pr.put("REFRESH ")
		pr.name(s.Name)
	}
}

func (pr *printer) explain(s *ast.Explain) {
	pr.put("EXPLAIN ")
	if s.Mode != "" {
		pr.put(s.Mode, " ")
	}
	if len(s.Options) > 0 {
		pr.options("", s.Options)
		pr.put(" ")
	}
	if s.Query != nil {
		pr.put("QUERY ")
		pr.name(*s.Query)
		return
	}
	pr.statement(s.Target)
}

func (pr *printer) show(s *ast.Show) {
	pr.put("SHOW ", s.Kind.String())
	switch s.Kind {
	case ast.ShowColumns:
		pr.optionalName(" FROM ", s.Name)
	case ast.ShowCreate:
		pr.object(s.Object)
		pr.optionalName(" ", s.Name)
	default:
		pr.optionalName(" FOR ", s.Name)
	}
	if s.Like != nil {
		pr.put(" LIKE ", quote(s.Like.Text))
	}
}

func (pr *printer) describe(s *ast.Describe) {
	pr.put("DESCRIBE")
	if s.Extended {
		pr.put(" EXTENDED")
	}
	if s.Query != nil {
		pr.put(" ")
		pr.query(s.Query)
		return
	}
	pr.object(s.Object)
	pr.optionalName(" ", s.Name)
}

func (pr *printer) object(o ast.Object) {
	if o != ast.ObjectAny {
		pr.put(" ", o.String())
	}
}

func (pr *printer) optionalName(word string, n *ast.Name) {
	if n != nil {
		pr.put(word)
		pr.name(*n)
	}
}

func (pr *printer) drop(s *ast.Drop) {
	pr.put("DROP")
	pr.object(s.Object)
	if s.IfExists {
		pr.put(" IF EXISTS")
	}
	pr.put(" ")
	pr.name(s.Name)
	if s.Cascade {
		pr.put(" CASCADE")
	}
}

func (pr *printer) control(s *ast.QueryControl) {
	pr.put(s.Action.String())
	switch {
	case s.Name != nil:
		pr.optionalName(" QUERY ", s.Name)
	case s.Any:
		pr.put(" ANY")
	default:
		pr.put(" ALL")
	}
	switch {
	case s.Recompute:
		pr.put(" RECOMPUTE")
	case s.Savepoint:
		pr.put(" WITH SAVEPOINT")
	case s.Checkpoint != nil:
		pr.put(" FROM CHECKPOINT ", quote(s.Checkpoint.Text))
	case s.Timeout != nil:
		pr.put(" TIMEOUT ")
		pr.interval(s.Timeout)
	}
}
