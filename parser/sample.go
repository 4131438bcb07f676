package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// sample reads TABLESAMPLE [BERNOULLI | SYSTEM] (n [PERCENT]) [REPEATABLE (seed)].
func (p *parser) sample() *ast.Sample {
	start := p.pos
	p.next()
	if p.isWord("RESERVOIR") {
		p.refuseSample("RESERVOIR")
	}
	p.acceptAny("BERNOULLI", "SYSTEM")
	p.expectOp("(")
	if p.isWord("BUCKET") {
		p.refuseSample("BUCKET")
	}
	node := &ast.Sample{Percent: p.sampleNumber("a share in percent")}
	if p.isWord("ROWS") {
		p.refuseSample("a number of rows")
	}
	if !p.acceptOp("%") {
		p.accept("PERCENT")
	}
	p.expectOp(")")
	if p.acceptAny("REPEATABLE", "SEED") != "" {
		p.expectOp("(")
		node.Seed = p.sampleNumber("a seed")
		p.expectOp(")")
	}
	node.Span = p.since(start)
	return node
}

func (p *parser) sampleNumber(what string) *ast.Literal {
	if p.peek().kind != tokNumber {
		p.unexpected(what)
		return &ast.Literal{}
	}
	return p.numberOf(p.next())
}

func (p *parser) refuseSample(what string) {
	p.fail(diag.Errorf(diag.NotSupported, p.here(), "TABLESAMPLE with %s is not supported", what).
		WithHint("write TABLESAMPLE BERNOULLI (percent), or choose rows by a hash of their columns: WHERE pmod(hash(k), 100) < 10"))
}
