package bind

import (
	"regexp"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// spellings are functions of other systems that are one expression here. A line has their
// names in lower case, with /n where the name is a function of ours that takes other than n
// arguments, and the expression: $1 is the first argument, $1|x is x where there is none, $'1
// the text or word that it is, $* all of them, $2* those from the second, $2+ the same behind
// a comma. It is offered with the arguments of the call, and never put in its place: a name
// means one thing.
var spellings = readSpellings(clickHouse + warehouses)

func readSpellings(table string) map[string]string {
	out := map[string]string{}
	for line := range strings.SplitSeq(table, "\n") {
		names, way, ok := strings.Cut(line, " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.FieldsSeq(names) {
			out[name] = way
		}
	}
	return out
}

// given is an argument as it can be repeated in a hint.
type given struct {
	text string // "" if it is long or has errors
	word string // the text of a constant, or a word without quotes
	part bool   // it stands in parentheses beside an operator
}

// given binds arguments of a call that is refused, for the errors in them and for hints that
// repeat them. Units and types without quotes belong to the call.
func (e *env) given(args []ast.Expr) []given {
	out := make([]given, len(args))
	for i, x := range args {
		if word := e.unit(x); word != "" {
			out[i] = given{text: word, word: word}
			continue
		}
		if _, lambda := x.(*ast.Lambda); lambda {
			out[i] = given{text: "v -> …"}
			continue
		}
		if n := e.expr(x); n != nil && len(n.String()) <= maxHint {
			text, bracketed := withoutBrackets(n.String())
			out[i] = given{text: text, part: bracketed || compound(x)}
			out[i].word, _ = constText(n)
		}
	}
	return out
}

// unit is a unit or a type without quotes that is no column, "" if x is none.
func (e *env) unit(x ast.Expr) string {
	word := bareWord(x)
	if word != "" && len(e.scope.find("", word)) > 0 {
		return ""
	}
	return word
}

// withoutBrackets takes off parentheses around all of an expression.
func withoutBrackets(text string) (string, bool) {
	if !strings.HasPrefix(text, "(") {
		return text, false
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '\'', '"', '`':
			return text, false
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(text)-1 {
				return text, false
			}
		}
	}
	return text[1 : len(text)-1], true
}

func compound(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Binary, *ast.ColumnRef, *ast.Literal, *ast.Call, *ast.Cast, *ast.Subscript, *ast.Interval:
		return false
	}
	return true
}

var placeholder = regexp.MustCompile(`\$('?)([0-9*])([*+]|\|(?:ARRAY\[[^]]*\]|'[^']*'|[0-9.]+))?`)

// spell fills the placeholders of a spelling; x, y, z and w stand for what is not given.
func spell(way string, args []given) string {
	var out strings.Builder
	last := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(way, -1) {
		out.WriteString(way[last:m[0]])
		last = m[1]
		rest := ""
		if m[6] >= 0 {
			rest = way[m[6]:m[7]]
		}
		if way[m[4]:m[5]] == "*" {
			out.WriteString(several(args, 0))
			continue
		}
		i := int(way[m[4]] - '1')
		switch {
		case rest == "*":
			out.WriteString(several(args, i))
		case rest == "+":
			if i < len(args) {
				out.WriteString(", " + several(args, i))
			}
		case m[3] > m[2]:
			out.WriteString(wordOf(args, i))
		case i >= len(args) && rest != "":
			out.WriteString(rest[1:])
		default:
			alone := strings.HasSuffix(way[:m[0]], "(") || strings.HasSuffix(way[:m[0]], ", ") || strings.HasSuffix(way[:m[0]], "WHERE ") || m[0] == 0 && last == len(way)
			alone = alone && (last == len(way) || way[last] == ')' || way[last] == ',' || strings.HasPrefix(way[last:], " AS "))
			out.WriteString(textOf(args, i, alone))
		}
	}
	return out.String() + way[last:]
}

func several(args []given, from int) string {
	var texts []string
	for i := from; i < len(args); i++ {
		texts = append(texts, textOf(args, i, true))
	}
	if len(texts) == 0 {
		return "…"
	}
	return strings.Join(texts, ", ")
}

func textOf(args []given, i int, alone bool) string {
	switch {
	case i >= len(args) || args[i].text == "":
		return []string{"x", "y", "z", "w"}[min(i, 3)]
	case args[i].part && !alone:
		return "(" + args[i].text + ")"
	}
	return args[i].text
}

func wordOf(args []given, i int) string {
	if i < len(args) && args[i].word != "" {
		return args[i].word
	}
	return "a"
}

// spelled reports a function of another system that is one expression here.
func (e *env) spelled(x *ast.Call, name string) bool {
	way := spellings[name]
	if way == "" {
		way = e.b.conditional(name, len(x.Args))
	}
	if way == "" {
		return false
	}
	d := e.b.errorf(diag.UnknownFunction, x.Name.Span, "unknown function %q", x.Name.String())
	if strings.Contains(name, "/") {
		d.Code, d.Message = diag.WrongArguments, x.Name.String()+" takes another number of arguments"
	}
	d.Hint = "write " + spell(way, e.given(x.Args))
	return true
}

// safe reports SAFE.f(x), as BigQuery takes NULL for a failure of f.
func (e *env) safe(x *ast.Call) bool {
	if len(x.Name.Parts) != 2 || !x.Name.Parts[0].Is("safe") || len(e.scope.find("", "safe")) > 0 {
		return false
	}
	e.b.errorf(diag.UnknownFunction, x.Name.Span, "unknown function %q", x.Name.String()).
		Hint = "write try(" + x.Name.Parts[1].Name + "(" + several(e.given(x.Args), 0) + "))"
	return true
}

// unitLast reports date_trunc(t, MONTH) and date_diff(a, b, DAY), as BigQuery writes them.
func (e *env) unitLast(x *ast.Call, name string) bool {
	way := map[string]string{"date_trunc": "date_trunc('$'2', $1)", "date_diff": "date_diff('$'3', $2, $1)", "datediff": "date_diff('$'3', $2, $1)", "last_day": "last_day($1)"}[name]
	if way == "" || len(x.Args) < 2 || len(x.Named) > 0 {
		return false
	}
	last := x.Args[len(x.Args)-1]
	if c, ok := last.(*ast.Call); ok && c.Name.String() != "" && c.Name.Last().Is("week") && len(c.Args) == 1 { // WEEK(MONDAY)
		last = &ast.ColumnRef{Span: c.Span, Parts: c.Name.Parts}
	}
	word := e.unit(last)
	if word == "" || e.unit(x.Args[0]) != "" {
		return false
	}
	args := append(e.given(x.Args[:len(x.Args)-1]), given{text: word, word: strings.TrimPrefix(word, "iso")})
	what := "has the unit first, as a text"
	if name == "last_day" {
		what = "takes no unit"
	}
	e.b.errorf(diag.WrongArguments, last.Pos(), "%s %s", x.Name, what).Hint = "write " + spell(way, args)
	return true
}

// conditional is the spelling of ClickHouse's sumIf(x, condition) and all its kin with n
// arguments, "" if name is none.
func (b *Binder) conditional(name string, n int) string {
	base, ok := strings.CutSuffix(name, "if")
	if !ok || n == 0 || n > 3 {
		return ""
	}
	way := spellings[base]
	if _, known := b.cat.Functions.Aggregate(base); known {
		way = base + "(" + strings.Join([]string{"$1", "$2"}[:n-1], ", ") + ")"
	}
	if way == "" || !aggregates(b, way) {
		return ""
	}
	if n == 1 {
		way = strings.Replace(way, "()", "(*)", 1)
	}
	return way + " FILTER (WHERE $" + string(rune('0'+n)) + ")"
}

// aggregates reports that a spelling is one call of an aggregate.
func aggregates(b *Binder, way string) bool {
	f, _, ok := strings.Cut(way, "(")
	_, known := b.cat.Functions.Aggregate(f)
	return ok && known && strings.HasSuffix(way, ")")
}
