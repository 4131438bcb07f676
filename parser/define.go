package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// element reads one element of a definition: a column, a watermark or a key.
func (p *parser) element(def *ast.Definition) {
	switch {
	case p.startsWatermark():
		w, args := p.watermark()
		p.settle(w, args)
		def.Watermarks = append(def.Watermarks, w)
	case p.isWords("PRIMARY", "KEY"), p.isWord("CONSTRAINT") && p.wordAt(2, "PRIMARY"):
		p.primaryKey(def)
	case p.isWord("LIKE") && p.nameAt(1):
		p.likeTable()
	case p.isWord("UNIQUE") && p.opAt(1, "("), p.isWords("FOREIGN", "KEY"), p.isWord("CHECK") && p.opAt(1, "("):
		p.constraint(0)
	case p.isWord("CONSTRAINT") && p.nameAt(1) && p.anyWordAt(2, "UNIQUE", "CHECK", "FOREIGN"):
		p.constraint(2)
	default:
		def.Columns = append(def.Columns, p.column())
	}
}

// constraint fails on a constraint that is not checked, whose keyword is the token n ahead.
func (p *parser) constraint(n int) {
	what, hint := p.upper(p.at(n)), "leave it out, and filter with WHERE"
	switch what {
	case "UNIQUE":
		hint = "leave it out, or declare PRIMARY KEY (column)"
	case "FOREIGN":
		what, hint = "FOREIGN KEY", "leave it out: references between tables are not checked"
	}
	p.fail(diag.Errorf(diag.NotSupported, p.at(n).span(), "%s is not supported", what).WithHint("%s", hint))
}

// settle parses the expression of a watermark that stands in a definition.
func (p *parser) settle(w *ast.Watermark, args []arg) {
	for _, a := range args {
		*a.hole.expr = p.runExpr(operand{rope: a.rope, span: w.Span})
	}
}

func (p *parser) primaryKey(def *ast.Definition) {
	if p.accept("CONSTRAINT") {
		p.ident("a constraint name")
	}
	p.once(len(def.PrimaryKey) > 0, "PRIMARY KEY")
	p.expect("PRIMARY", "KEY")
	def.PrimaryKey = p.identList("a column")
	p.accept("NOT", "ENFORCED")
}

func (p *parser) column() ast.ColumnDef {
	start := p.pos
	c := ast.ColumnDef{Name: p.ident("a column name")}
	if p.accept("AS") {
		c.As = p.columnExpr()
	} else {
		c.Type = p.typeName()
	}
	for !p.failed && p.columnOption(&c) {
	}
	c.Span = p.since(start)
	if !p.failed && !p.isOp(",") && !p.isOp(")") && !p.done() {
		d := diag.Errorf(diag.Unexpected, p.here(), "unexpected %s in the definition of column %q", p.describe(p.peek()), c.Name.Name)
		if p.isWord("COLLATE") {
			d = diag.Errorf(diag.NotSupported, p.here(), "COLLATE of a column is not supported").
				WithHint("write it where the column is compared or ordered by: x = 'a' COLLATE NOCASE, ORDER BY x COLLATE NOCASE")
		}
		if strings.EqualFold(c.Name.Name, "watermark") {
			d.WithHint("a watermark is written WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE")
		}
		p.fail(d)
	}
	return c
}

func (p *parser) columnOption(c *ast.ColumnDef) bool {
	switch {
	case p.accept("NOT", "NULL"):
		c.NotNull = true
	case p.accept("NULL"):
	case p.accept("PRIMARY", "KEY"):
		c.PrimaryKey = true
		p.accept("NOT", "ENFORCED")
	case p.isWord("COLLATE") && p.at(1).isName() && p.identOf(p.at(1)).ByteOrder():
		p.pos += 2
	case p.accept("DEFAULT"):
		c.Default = p.columnExpr()
	case p.accept("COMMENT"):
		c.Comment = p.stringLit("a comment")
	case p.isWord("AS"), p.isWords("GENERATED", "ALWAYS", "AS"):
		p.computed(c)
	case p.accept("METADATA"):
		c.Metadata = &ast.Metadata{}
		if p.accept("FROM") {
			c.Metadata.From = p.stringLit("the name of a metadata field")
		}
		c.Metadata.Virtual = p.accept("VIRTUAL")
	case p.isWord("WATERMARK"), p.isWord("LATENESS"):
		p.columnWatermark(c)
	default:
		return false
	}
	return true
}

// columnExpr reads an expression that options of the column may follow.
func (p *parser) columnExpr() ast.Expr {
	p.inColumn = true
	e := p.plainExpr()
	p.inColumn = false
	return e
}

// computed reads [GENERATED ALWAYS] AS expr [STORED | VIRTUAL].
func (p *parser) computed(c *ast.ColumnDef) {
	p.once(c.As != nil, "AS")
	p.accept("GENERATED", "ALWAYS")
	p.next()
	if p.isWord("IDENTITY") && p.wordAt(-1, "AS") && p.wordAt(-2, "ALWAYS") {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "IDENTITY is not supported").WithHint("%s", ownKey))
		return
	}
	c.As = p.columnExpr()
	c.Stored = p.acceptAny("STORED", "VIRTUAL") == "STORED"
}

// columnWatermark reads WATERMARK DELAY '…' or LATENESS INTERVAL … of a column.
func (p *parser) columnWatermark(c *ast.ColumnDef) {
	p.once(c.Watermark != nil, "WATERMARK")
	start := p.pos
	if p.upper(p.next()) == "WATERMARK" {
		p.expect("DELAY")
		p.accept("OF")
	}
	w := &ast.Watermark{Column: ast.Name{Span: c.Name.Span, Parts: []ast.Ident{c.Name}}}
	w.Delay = p.duration("a duration")
	w.Span = p.since(start)
	c.Watermark = w
}

// tableOption reads one option behind a definition, if one is next.
func (p *parser) tableOption(def *ast.Definition) bool {
	switch {
	case p.isWord("WITH") && p.opAt(1, "("), p.isWord("OPTIONS") && p.opAt(1, "("):
		p.next()
		def.Options = p.props(def.Options)
	case p.accept("COMMENT"):
		p.acceptOp("=")
		def.Comment = p.stringLit("a comment")
	case p.accept("PARTITIONED", "BY"):
		def.PartitionBy = p.identList("a column")
	case p.isWord("USING"):
		p.next()
		def.Using = p.word1("a format")
	case p.accept("STORED", "AS"):
		def.StoredAs = p.word1("a format")
	case p.accept("LOCATION"):
		def.Location = p.stringLit("a path")
	case p.isWord("FORMAT"):
		p.next()
		p.format(def)
	default:
		return false
	}
	return true
}

func (p *parser) word1(what string) *ast.Ident {
	id := p.ident(what)
	return &id
}

// format reads FORMAT f [ENCODE e] [(options)].
func (p *parser) format(def *ast.Definition) {
	def.Format = p.word1("a format")
	if p.accept("ENCODE") {
		def.Encode = p.word1("an encoding")
	}
	if p.isOp("(") {
		def.FormatOption = p.props(def.FormatOption)
	}
}
