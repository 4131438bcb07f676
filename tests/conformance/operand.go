package conformance

import "strings"

// operandStart is the first token of what stands before a postfix operator at i.
func operandStart(toks []token, i int) int {
	at := i - 1
	for at > 0 {
		switch {
		case strings.Contains(")]}", toks[at].text):
			open := toks[at].text
			at = opening(toks, at)
			if at > 1 && (toks[at-1].is("over") || toks[at-1].is("filter")) {
				at -= 2 // to the end of the call
				continue
			}
			if at > 0 && takesBracket(toks[at-1]) && (open != "]" || toks[at-1].end == toks[at].start || !toks[at-1].is("array")) {
				at--
				if open == "]" {
					continue // a[i][j]
				}
			}
		case toks[at].is("end"):
			for at > 0 && !(toks[at].is("case") && toks[at].depth == toks[i].depth) {
				at--
			}
		case toks[at].kind == text && at > 0 && typedLiteral(toks[at-1]):
			at--
		}
		if at < 2 || toks[at-1].text != "." && toks[at-1].text != "::" {
			return at
		}
		at -= 2
	}
	return at
}

// opening is the bracket that the one at i closes.
func opening(toks []token, i int) int {
	k := i - 1
	for k > 0 && !(toks[k].depth == toks[i].depth && strings.Contains("([{", toks[k].text)) {
		k--
	}
	return k
}

// operandEnd is the last token of the operand that begins at i: a value, with its signs, and
// the calls, brackets and casts behind it; -1 if there is none.
func operandEnd(toks []token, i int) int {
	for i+1 < len(toks) && (toks[i].text == "-" || toks[i].text == "+") {
		i++
	}
	if i >= len(toks) {
		return -1
	}
	end := i
	if strings.Contains("([{", toks[i].text) {
		end = closing(toks, i)
	}
	for end+1 < len(toks) {
		next := toks[end+1]
		switch {
		case next.text == "(" && toks[end].kind == word, next.text == "[":
			end = closing(toks, end+1)
		case (next.text == "." || next.text == "::") && end+2 < len(toks):
			end += 2
		default:
			return end
		}
	}
	return end
}

// beforeOperands are words after which a new operand begins.
var beforeOperands = " select distinct all in and or not then else when case by on where having from values returning like ilike between is set limit offset union except intersect as using lambda any some qualify over partition with asc desc interval "

// takesBracket reports what can stand before a bracket that belongs to it: a name, or the end
// of another operand.
func takesBracket(t token) bool {
	return t.kind == quoted || t.kind == word && !strings.Contains(beforeOperands, " "+strings.ToLower(t.text)+" ") || t.kind == text || t.kind == symbol && strings.Contains(")]}", t.text)
}

// endsOperand reports that an operand may end with a token, so that + after it adds.
func endsOperand(t token) bool { return t.kind == number || takesBracket(t) }

func typedLiteral(t token) bool {
	return timeName(t) || t.is("time") || t.is("interval") || t.is("blob")
}

// operator is one that the language does not have, with the call that it is.
type operator struct{ op, call string }

// Their operands are those that bind tightest: RisingWave's with their signs.
var (
	duckOperators   = []operator{{"**", "pow($1, $2)"}, {"^", "pow($1, $2)"}, {"@>", "list_has_all($1, $2)"}, {"<@", "list_has_all($2, $1)"}, {"&&", "list_has_any($1, $2)"}}
	risingOperators = []operator{{"^", "power($1, $2)"}, {"#", "(($1 | $2) - ($1 & $2))"}}
)

// callsOf spells operators as calls, those with signs of signed operands.
func callsOf(operators []operator, signed bool) func(sql string) string {
	return func(sql string) string {
		for _, o := range operators {
			for from := 0; strings.Contains(sql, o.op); {
				toks := tokens(sql)
				i := from
				for i < len(toks) && !isOperator(toks, i, o.op) {
					i++
				}
				if from = i + 1; i == 0 || i+len(o.op) >= len(toks) {
					break
				}
				first, last := operandStart(toks, i), operandEnd(toks, i+len(o.op))
				if last < 0 {
					break
				}
				if signed && first > 0 && toks[first-1].text == "-" && (first == 1 || !endsOperand(toks[first-2])) {
					first--
				}
				c := call{args: []string{span(sql, toks[first:i]), span(sql, toks[i+len(o.op):last+1])}}
				sql = sql[:toks[first].start] + c.fill(o.call) + sql[toks[last].end:]
			}
		}
		return sql
	}
}

// isOperator reports that the signs from i on are an operator, and no longer one.
func isOperator(toks []token, i int, op string) bool {
	n := len(op)
	if i+n > len(toks) || i > 0 && isSign(toks[i-1]) && toks[i-1].end == toks[i].start || i+n < len(toks) && isSign(toks[i+n]) && toks[i+n].start == toks[i+n-1].end {
		return false
	}
	for k := range n {
		if toks[i+k].kind != symbol || toks[i+k].text != op[k:k+1] || k > 0 && toks[i+k].start != toks[i+k-1].end {
			return false
		}
	}
	return true
}

func isSign(t token) bool { return t.kind == symbol && strings.ContainsAny(t.text, "^@<>&*|=!~") }
