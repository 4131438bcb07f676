package repl

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Expand replaces ${name} in a script by the values given with -v. Comments are left
// alone. Inside strings, values have their quotes doubled, and what has no value stays:
// there ${NAME} and ${file:path} are references that options resolve when they are used.
// Outside strings a name without a value is an error. $${ is never replaced.
func Expand(src diag.Source, vars map[string]string) (diag.Source, error) {
	if !strings.Contains(src.Text, "${") {
		return src, nil
	}
	x := expander{src: &src, vars: vars, tokens: parser.Tokens(src.Text)}
	text := x.run()
	if len(x.diags) > 0 {
		return src, diag.NewError(&src, x.diags...)
	}
	return diag.Source{Name: src.Name, Text: text}, nil
}

type expander struct {
	src    *diag.Source
	vars   map[string]string
	tokens []parser.Token
	diags  []*diag.Diagnostic
}

func (x *expander) run() string {
	var b strings.Builder
	text, at := x.src.Text, 0
	for {
		i := strings.Index(text[at:], "${")
		if i < 0 {
			return b.String() + text[at:]
		}
		start := at + i
		end := strings.IndexByte(text[start:], '}')
		if end < 0 {
			return b.String() + text[at:]
		}
		end += start + 1
		b.WriteString(text[at:start])
		b.WriteString(x.value(diag.Span{Start: start, End: end}))
		at = end
	}
}

// value is what stands for the reference in the span.
func (x *expander) value(at diag.Span) string {
	whole := x.src.Slice(at)
	name := whole[2 : len(whole)-1]
	kind := x.kindAt(at.Start)
	if kind == parser.TokenComment || at.Start > 0 && x.src.Text[at.Start-1] == '$' {
		return whole
	}
	v, ok := x.vars[name]
	switch {
	case ok && kind == parser.TokenString:
		return strings.ReplaceAll(v, "'", "''")
	case ok:
		return v
	case kind != parser.TokenString:
		d := diag.Errorf(diag.UnresolvedSecret, at, "there is no value for %s", whole)
		x.diags = append(x.diags, d.WithHint("give one with -v %s=…", name))
	}
	return whole
}

// kindAt is the kind of the token that covers an offset.
func (x *expander) kindAt(offset int) parser.TokenKind {
	for len(x.tokens) > 0 && x.tokens[0].End <= offset {
		x.tokens = x.tokens[1:]
	}
	if len(x.tokens) > 0 && x.tokens[0].Start <= offset {
		return x.tokens[0].Kind
	}
	return parser.TokenError
}
