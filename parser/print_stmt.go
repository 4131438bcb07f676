package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

func (pr *printer) statement(s ast.Statement) {
	switch s := s.(type) {
	case *ast.QueryStmt:
		pr.queryStmt(s)
	case *ast.CreateSource:
		pr.create(s.OrReplace, s.Temporary, "SOURCE", s.IfNotExists, s.Name)
		pr.elements(&s.Definition)
		pr.tableOptions(&s.Definition)
	case *ast.CreateTable:
		pr.createTable(s)
	case *ast.CreateSink:
		pr.createSink(s)
	case *ast.CreateView:
		pr.create(s.OrReplace, s.Temporary, "VIEW", s.IfNotExists, s.Name)
		pr.columnList(s.Columns)
		pr.put(" AS ")
		pr.query(s.Query)
	case *ast.CreateMaterializedView:
		pr.create(s.OrReplace, false, "MATERIALIZED VIEW", s.IfNotExists, s.Name)
		pr.columnList(s.Columns)
		pr.options(" WITH ", s.Options)
		pr.put(" AS ")
		pr.queryStmt(s.As)
	case *ast.Insert:
		pr.insert(s)
	case *ast.StatementSet:
		pr.put("EXECUTE STATEMENT SET BEGIN ")
		for _, i := range s.Inserts {
			pr.insert(i)
			pr.put("; ")
		}
		pr.put("END")
		pr.emit(s.Emit)
	default:
		pr.management(s)
	}
}

func (pr *printer) queryStmt(s *ast.QueryStmt) {
	pr.query(s.Query)
	pr.emit(s.Emit)
}

func (pr *printer) emit(e *ast.Emit) {
	if e == nil {
		return
	}
	if e.Mode != ast.EmitDefault {
		pr.put(" EMIT ", strings.ToUpper(e.Mode.String()))
	}
	if e.Delay != nil {
		pr.put(" EMIT WITH DELAY ")
		pr.interval(e.Delay)
	}
	if t := e.Trigger; t != nil {
		pr.put(" TRIGGER ", [...]string{"EVERY ", "AVAILABLE NOW", "ONCE", "MANUAL"}[t.Kind])
		if t.Every != nil {
			pr.interval(t.Every)
		}
	}
	pr.options(" WITH ", e.Options)
}

func (pr *printer) create(replace, temporary bool, object string, notExists bool, name ast.Name) {
	pr.put("CREATE ")
	if replace {
		pr.put("OR REPLACE ")
	}
	if temporary {
		pr.put("TEMPORARY ")
	}
	pr.put(object, " ")
	if notExists {
		pr.put("IF NOT EXISTS ")
	}
	pr.name(name)
}

func (pr *printer) columnList(list []ast.Ident) {
	if len(list) > 0 {
		pr.put(" (")
		pr.idents(list)
		pr.put(")")
	}
}

func (pr *printer) createTable(s *ast.CreateTable) {
	object := "TABLE"
	if s.External {
		object = "EXTERNAL TABLE"
	}
	pr.create(s.OrReplace, s.Temporary, object, s.IfNotExists, s.Name)
	pr.elements(&s.Definition)
	pr.tableOptions(&s.Definition)
	if s.As != nil {
		pr.put(" AS ")
		pr.queryStmt(s.As)
	}
}

func (pr *printer) createSink(s *ast.CreateSink) {
	pr.create(s.OrReplace, s.Temporary, "SINK", s.IfNotExists, s.Name)
	pr.elements(&s.Definition)
	if s.Into != nil {
		pr.put(" INTO ")
		pr.name(*s.Into)
	}
	if s.From != nil {
		pr.put(" FROM ")
		pr.name(*s.From)
	}
	def := s.Definition
	if s.As != nil {
		pr.put(" AS ")
		pr.queryStmt(s.As)
		if def.Comment != nil || len(def.PartitionBy) > 0 || def.Using != nil || def.StoredAs != nil || def.Location != nil || def.Format != nil {
			pr.put(" WITH ") // also of nothing: the other words would be aliases behind the query
			pr.properties(def.Options)
			def.Options = nil
		}
	}
	pr.tableOptions(&def)
}

func (pr *printer) insert(s *ast.Insert) {
	pr.put("INSERT ")
	if s.Overwrite {
		pr.put("OVERWRITE ")
	} else {
		pr.put("INTO ")
	}
	pr.name(s.Table)
	pr.options(" PARTITION ", s.Partition)
	pr.columnList(s.Columns)
	if s.ByName {
		pr.put(" BY NAME")
	}
	pr.put(" ")
	pr.queryStmt(s.Source)
}

// options prints a property list behind a word, or nothing for an empty one.
func (pr *printer) options(word string, list []ast.Option) {
	if len(list) > 0 {
		pr.put(word)
		pr.properties(list)
	}
}

func (pr *printer) properties(list []ast.Option) {
	pr.put("(")
	pr.list(len(list), func(i int) {
		pr.put(optionKey(list[i].Key), " = ")
		pr.literal(list[i].Value)
	})
	pr.put(")")
}

// optionKey leaves the quotes out where the key is words with dots between them.
func optionKey(key string) string {
	for _, part := range strings.Split(key, ".") {
		if !isPlainName(part) || isReserved(part) {
			return quote(key)
		}
	}
	return key
}

func (pr *printer) elements(d *ast.Definition) {
	var parts []func()
	for i := range d.Columns {
		parts = append(parts, func() { pr.column(&d.Columns[i]) })
	}
	for _, w := range d.Watermarks {
		parts = append(parts, func() { pr.watermark(w) })
	}
	if len(d.PrimaryKey) > 0 {
		parts = append(parts, func() {
			pr.put("PRIMARY KEY (")
			pr.idents(d.PrimaryKey)
			pr.put(")")
		})
	}
	if len(parts) == 0 {
		return
	}
	pr.put(" (")
	pr.list(len(parts), func(i int) { parts[i]() })
	pr.put(")")
}

func (pr *printer) column(c *ast.ColumnDef) {
	pr.ident(c.Name, true)
	if c.Type != nil {
		pr.put(" ")
		pr.typeName(c.Type)
	} else {
		pr.put(" AS ")
		pr.expr(c.As, 0)
	}
	if c.NotNull {
		pr.put(" NOT NULL")
	}
	if c.PrimaryKey {
		pr.put(" PRIMARY KEY")
	}
	pr.clause(" DEFAULT ", c.Default)
	if c.Type != nil {
		pr.clause(" AS ", c.As)
	}
	if c.Stored {
		pr.put(" STORED")
	}
	pr.columnSource(c)
}

func (pr *printer) columnSource(c *ast.ColumnDef) {
	if m := c.Metadata; m != nil {
		pr.put(" METADATA")
		if m.From != nil {
			pr.put(" FROM ", quote(m.From.Text))
		}
		if m.Virtual {
			pr.put(" VIRTUAL")
		}
	}
	if c.Watermark != nil {
		pr.put(" WATERMARK DELAY ")
		pr.interval(c.Watermark.Delay)
	}
	if c.Comment != nil {
		pr.put(" COMMENT ", quote(c.Comment.Text))
	}
}

func (pr *printer) tableOptions(d *ast.Definition) {
	if d.Comment != nil {
		pr.put(" COMMENT ", quote(d.Comment.Text))
	}
	if len(d.PartitionBy) > 0 {
		pr.put(" PARTITIONED BY (")
		pr.idents(d.PartitionBy)
		pr.put(")")
	}
	pr.wordOption(" USING ", d.Using)
	pr.wordOption(" STORED AS ", d.StoredAs)
	if d.Location != nil {
		pr.put(" LOCATION ", quote(d.Location.Text))
	}
	pr.options(" WITH ", d.Options)
	pr.wordOption(" FORMAT ", d.Format)
	pr.wordOption(" ENCODE ", d.Encode)
	pr.options(" ", d.FormatOption)
}

func (pr *printer) wordOption(word string, id *ast.Ident) {
	if id != nil {
		pr.put(word)
		pr.ident(*id, true)
	}
}
