package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// sample reads TABLESAMPLE [method] (n [PERCENT | ROWS]) [REPEATABLE (seed)].
func (p *parser) sample() *ast.Sample {
	start := p.pos
	p.next()
	method := p.acceptAny(sampleMethods...)
	p.expectOp("(")
	node := p.sampleSize(method == "RESERVOIR")
	p.expectOp(")")
	p.sampleSeed(node)
	node.Span = p.since(start)
	return node
}

// sampleMethods are words that tell how rows are chosen elsewhere.
var sampleMethods = []string{"BERNOULLI", "SYSTEM", "RESERVOIR"}

// startsSample tells USING SAMPLE from USING of a join, behind which a parenthesis stands.
func (p *parser) startsSample() bool { return p.isWord("USING") && p.wordAt(1, "SAMPLE") }

// usingSample reads DuckDB's USING SAMPLE n [PERCENT | ROWS] [(method [, seed])], or method (n).
func (p *parser) usingSample() *ast.Sample {
	start := p.pos
	p.next()
	p.next()
	method := p.acceptAny(sampleMethods...)
	open := p.acceptOp("(")
	node := p.sampleSize(method == "" || method == "RESERVOIR")
	if open {
		p.expectOp(")")
	}
	if method == "" && p.acceptOp("(") {
		if p.acceptAny(sampleMethods...) == "" {
			p.unexpected("BERNOULLI, SYSTEM or RESERVOIR")
		}
		if p.acceptOp(",") {
			node.Seed = p.sampleNumber("a seed")
		}
		p.expectOp(")")
	}
	p.sampleSeed(node)
	node.Span = p.since(start)
	return node
}

// sampleSize reads how many rows, of which rows tells what a bare number counts.
func (p *parser) sampleSize(rows bool) *ast.Sample {
	if p.isWord("BUCKET") {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "TABLESAMPLE with BUCKET is not supported").
			WithHint("write TABLESAMPLE BERNOULLI (percent), or choose rows by a hash of their columns: WHERE pmod(hash(k), 100) < 10"))
	}
	node := &ast.Sample{Size: p.sampleNumber("a share in percent, or a number of rows"), Rows: rows}
	switch {
	case p.acceptOp("%"), p.accept("PERCENT"):
		node.Rows = false
	case p.acceptAny("ROWS", "ROW") != "":
		node.Rows = true
	}
	return node
}

func (p *parser) sampleSeed(node *ast.Sample) {
	if p.acceptAny("REPEATABLE", "SEED") != "" {
		p.expectOp("(")
		node.Seed = p.sampleNumber("a seed")
		p.expectOp(")")
	}
}

func (p *parser) sampleNumber(what string) *ast.Literal {
	if p.peek().kind != tokNumber {
		p.unexpected(what)
		return &ast.Literal{}
	}
	return p.numberOf(p.next())
}
