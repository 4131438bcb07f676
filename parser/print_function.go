package parser

import "github.com/sqlstream/sqlstream/parser/ast"

func (pr *printer) createFunction(s *ast.CreateFunction) {
	pr.create(s.OrReplace, s.Temporary, "FUNCTION", s.IfNotExists, s.Name)
	pr.put("(")
	pr.list(len(s.Params), func(i int) { pr.funcParam(s.Params[i]) })
	pr.put(")")
	switch {
	case s.Returns != nil:
		pr.put(" RETURNS ")
		pr.typeName(s.Returns)
	case s.Table:
		pr.put(" RETURNS TABLE")
		if len(s.Columns) > 0 {
			pr.put(" (")
			pr.list(len(s.Columns), func(i int) {
				pr.ident(s.Columns[i].Name, true)
				pr.put(" ")
				pr.typeName(s.Columns[i].Type)
			})
			pr.put(")")
		}
	}
	if s.Language != nil {
		pr.put(" LANGUAGE ")
		pr.ident(*s.Language, true)
	}
	switch {
	case s.External != nil:
		pr.put(" AS ", quote(s.External.Text))
	case s.Query != nil:
		pr.put(" RETURN ")
		pr.query(s.Query)
	default:
		pr.put(" RETURN ")
		pr.expr(s.Body, 0)
	}
}

func (pr *printer) funcParam(a ast.FuncParam) {
	pr.ident(a.Name, true)
	if a.Type != nil {
		pr.put(" ")
		pr.typeName(a.Type)
	}
	if a.Default != nil {
		pr.put(" DEFAULT ")
		pr.expr(a.Default, 0)
	}
}

func (pr *printer) prepare(s *ast.Prepare) {
	pr.put("PREPARE ")
	pr.ident(s.Name, true)
	if len(s.Types) > 0 {
		pr.put(" (")
		pr.list(len(s.Types), func(i int) { pr.typeName(s.Types[i]) })
		pr.put(")")
	}
	pr.put(" AS ")
	pr.statement(s.Statement)
}

func (pr *printer) execute(s *ast.Execute) {
	pr.put("EXECUTE ")
	pr.ident(s.Name, true)
	if len(s.Args)+len(s.Named) == 0 {
		return
	}
	pr.put(" (")
	pr.list(len(s.Args)+len(s.Named), func(i int) {
		if i < len(s.Args) {
			pr.expr(s.Args[i], 0)
			return
		}
		n := s.Named[i-len(s.Args)]
		pr.ident(n.Name, true)
		pr.put(" => ")
		pr.expr(n.Value, 0)
	})
	pr.put(")")
}

func (pr *printer) deallocate(s *ast.Deallocate) {
	pr.put("DEALLOCATE ")
	if s.Name == nil {
		pr.put("ALL")
		return
	}
	pr.ident(*s.Name, true)
}

func (pr *printer) alter(s *ast.Alter) {
	pr.put("ALTER")
	pr.object(s.Object)
	if s.IfExists {
		pr.put(" IF EXISTS")
	}
	pr.put(" ")
	pr.name(s.Name)
	switch s.Action {
	case ast.AlterSet:
		pr.options(" SET ", s.Options)
		if len(s.Options) == 0 {
			pr.put(" SET ()")
		}
	case ast.AlterRename:
		pr.put(" RENAME TO ")
		pr.ident(*s.To, true)
	case ast.AlterSuspend:
		pr.put(" SUSPEND")
	case ast.AlterResume:
		pr.put(" RESUME")
	case ast.AlterAddColumn:
		pr.put(" ADD COLUMN ")
		pr.column(s.Column)
	}
}

func (pr *printer) copy(s *ast.Copy) {
	pr.put("COPY ")
	if s.Query != nil {
		pr.put("(")
		pr.query(s.Query)
		pr.put(")")
	} else {
		pr.name(*s.Table)
	}
	pr.put(" TO ", quote(s.Path.Text))
	if len(s.Options) > 0 {
		pr.put(" ")
		pr.options("", s.Options)
	}
}
