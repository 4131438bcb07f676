package conformance

import (
	"maps"
	"strconv"
	"strings"
)

// call is a call in a statement: what stands between its brackets, and for an aggregate
// what belongs to it behind them.
type call struct {
	name string
	args []string // the texts between the commas
	tail string   // FILTER (…), OVER (…)
}

// text is the call as it was.
func (c call) text() string { return c.name + "(" + strings.Join(c.args, ", ") + ")" + c.tail }

// form spells a call of a dialect as it is written here, with the same meaning; "" leaves
// it as it is. It sees names, the number of arguments and the words between them, never
// values.
type form func(c call) string

// joinedForms are those of several topics.
func joinedForms(list ...map[string]form) map[string]form {
	out := map[string]form{}
	for _, m := range list {
		maps.Copy(out, m)
	}
	return out
}

// renamed is the form of a function with another name.
func renamed(name string) form {
	return func(c call) string { return name + "(" + strings.Join(c.args, ", ") + ")" + c.tail }
}

// template is the form with $1, $2, … for the arguments, of a call with so many of them.
func template(arity int, text string) form {
	return func(c call) string {
		if len(c.args) != arity {
			return ""
		}
		return c.fill(text)
	}
}

func (c call) fill(text string) string {
	for i, a := range c.args {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i+1), a)
	}
	return text + c.tail
}

// reform applies the forms of the dialect to all calls in sql, the inner ones first.
func (d *dialect) reform(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+1 < len(toks); i++ {
		f := d.callForms[strings.ToLower(toks[i].text)]
		if f == nil || toks[i].kind != word || toks[i+1].text != "(" || i > 0 && namesObject(toks[i-1]) {
			continue
		}
		end := closing(toks, i+1)
		if toks[end].text != ")" {
			continue
		}
		c := call{name: toks[i].text}
		for _, a := range splitAt(toks[i+2:end], toks[i+1].depth+1) {
			c.args = append(c.args, d.reform(span(sql, a)))
		}
		last := tailEnd(toks, end)
		if last > end {
			c.tail = " " + d.reform(span(sql, toks[end+1:last+1]))
		}
		with := f(c)
		if with == "" {
			with = c.text()
		}
		e.replace(toks[i].start, toks[last].end, with)
		i = last
	}
	return e.done()
}

// namesObject reports a word after which a name is no call.
func namesObject(t token) bool {
	return t.text == "." || t.is("function") || t.is("table") || t.is("view") || t.is("into") || t.is("exists")
}

// casts spells value::type as CAST.
func casts(sql string, types map[string]bool) string {
	for from := 0; ; {
		toks := tokens(sql)
		i := from
		for i < len(toks) && (toks[i].text != "::" || i == 0 || i+1 >= len(toks) || !types[strings.ToLower(toks[i+1].text)]) {
			i++
		}
		if i == len(toks) {
			return sql
		}
		from = i + 1
		first, last := operandStart(toks, i), i+1
		if last+1 < len(toks) && toks[last+1].text == "(" {
			last = closing(toks, last+1)
		}
		if last+1 < len(toks) && (toks[last+1].is("array") || toks[last+1].text == "[") {
			continue
		}
		sql = sql[:toks[first].start] + "CAST(" + sql[toks[first].start:toks[i-1].end] + " AS " + span(sql, toks[i+1:last+1]) + ")" + sql[toks[last].end:]
	}
}

// tailEnd is the last token of FILTER (…), WITHIN … and OVER … behind the bracket at end.
func tailEnd(toks []token, end int) int {
	for end+2 < len(toks) && (toks[end+1].is("filter") || toks[end+1].is("over")) {
		next := end + 2
		if toks[next].text == "(" {
			next = closing(toks, next)
		}
		end = next
	}
	return end
}

// cut splits an argument such as "x AS type" at a word outside of brackets, the last one.
func cut(arg, at string) (before, after string, ok bool) {
	toks := tokens(arg)
	for i := len(toks) - 1; i > 0; i-- {
		if toks[i].is(at) && toks[i].depth == 0 {
			return span(arg, toks[:i]), span(arg, toks[i+1:]), true
		}
	}
	return arg, "", false
}
