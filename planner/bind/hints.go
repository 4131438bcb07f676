package bind

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// refuse reports that a function or operator does not take its arguments: what it was
// given, and what to write.
func (b *Binder) refuse(err error, span diag.Span, syntax []string, args []expr.Node) {
	var (
		bad    *expr.ArgumentError
		unread *expr.Unreadable
		wrong  *fn.Mismatch
	)
	if errors.Is(err, errReported) {
		return
	}
	d := b.report(err, span)
	if !errors.As(err, &bad) || d.Hint != "" {
		return
	}
	switch {
	case arrayText(args) != "":
		d.WithHint("an array is written %s", arrayText(args))
	case bad.Func == "-" && len(args) == 2 && args[0].Type().Kind == types.JSON:
		text, _ := constText(args[1])
		d.WithHint("write json_remove(%s, '$.%s')", args[0], cmp.Or(text, "member"))
	case bad.Func == "to_char" && len(args) == 2 && strings.Contains(err.Error(), "has FM"):
		text, _ := constText(args[1])
		d.WithHint("write trim(to_char(%s, '%s'))", args[0], strings.ReplaceAll(strings.ToUpper(text), "FM", ""))
	case bad.Func == "array_contains" && len(args) == 2 && args[1].Type().Kind == types.Array: // Snowflake's order
		d.WithHint("write array_contains(%s, %s)", args[1], args[0])
	case bad.Func == "substring" && len(args) == 2 && args[1].Type().Kind == types.String:
		d.WithHint("a part that a pattern describes, as in PostgreSQL: write regexp_match(%s, %s)[1]", args[0], args[1])
	case errors.As(err, &unread):
		b.unreadable(d, bad.Func, unread, args)
	case len(args) == 2 && len(syntax) == 0 && joined(bad.Func, args[0], args[1]) != "":
		d.Hint = joined(bad.Func, args[0], args[1])
	case bad.Func == "concat" && len(args) == 2 && args[0].Type().Kind == types.Array:
		d.WithHint("write array_append(%s, %s)", args[0], args[1])
	case bad.Func == "concat" && len(args) == 2 && args[1].Type().Kind == types.Array:
		d.WithHint("write array_prepend(%s, %s)", args[1], args[0])
	case errors.As(err, &wrong) && wrong.Arg < len(args):
		d.Hint = castHint(args[wrong.Arg], wrong.Want)
	case strings.Contains(err.Error(), "cannot order values"):
		for i := 0; i < len(args) && d.Hint == ""; i++ {
			d.Hint = orderHint(args[i])
		}
	case strings.Contains(err.Error(), "has no field"):
		d.Hint = cmp.Or(partHint(args), fieldHint(args))
	case strings.Contains(err.Error(), "regular expression"):
		d.WithHint(`a character that has a meaning, such as ( or *, is written \( or \*`)
	case strings.Contains(err.Error(), "pattern"):
		d.Hint = b.patternHint(bad.Func, args)
	case bad.Func == "isnull" && len(args) == 2:
		d.WithHint("write coalesce(%s, %s)", args[0], args[1])
	case len(args) == 2 && len(syntax) == 0:
		d.Hint = pairHint(bad.Func, args[0], args[1])
	}
	if d.Hint == "" && len(syntax) > 0 {
		d.WithHint("write %s", strings.Join(syntax, ", or "))
	}
}

// arrayText is PostgreSQL's '{1,2}' among arguments as an array that can be read, "" if there
// is none.
func arrayText(args []expr.Node) string {
	for _, a := range args {
		text, ok := constText(a)
		inner, closed := strings.CutSuffix(text, "}")
		inner, open := strings.CutPrefix(inner, "{")
		if !ok || !closed || !open || inner == "" || strings.ContainsAny(inner, "{}\"':") {
			continue
		}
		elems := strings.Split(inner, ",")
		for i, e := range elems {
			if _, err := strconv.ParseFloat(strings.TrimSpace(e), 64); err != nil {
				elems[i] = "'" + strings.TrimSpace(e) + "'"
			}
		}
		return "ARRAY[" + strings.Join(elems, ", ") + "]"
	}
	return ""
}

// syntaxOf are the ways to call a function; none for an operator.
func (b *Binder) syntaxOf(name string) []string {
	if f, ok := b.cat.Functions.Scalar(name); ok && !f.Hidden && f.Group != "Operators" {
		return f.Syntax
	}
	return nil
}

// maxHint bounds an expression that a hint repeats.
const maxHint = 60

// castHint is the cast that makes an argument what is wanted; "" if there is none.
func castHint(x expr.Node, want string) string {
	to, ok := wantedType(want)
	if text := x.String(); ok && types.CanCast(x.Type(), to) && len(text) <= maxHint {
		return fmt.Sprintf("write CAST(%s AS %s)", text, to)
	}
	return ""
}

// wantedType is the type that the words of a function's complaint ask for.
func wantedType(want string) (types.Type, bool) {
	switch want {
	case "number":
		return types.Of(types.Float64), true
	case "integer", "whole number":
		return types.Of(types.Int64), true
	case "text":
		return types.Of(types.String), true
	}
	for _, k := range []types.Kind{types.Bool, types.Int32, types.Int64, types.Float64, types.String, types.Bytes, types.Date,
		types.Timestamp, types.TimestampNTZ, types.Interval} {
		if t := types.Of(k); t.String() == want {
			return t, true
		}
	}
	return types.Type{}, false
}

// unreadable rewords "= cannot read 'abc' as DECIMAL(38,18)": the other side's type is what
// the user knows.
func (b *Binder) unreadable(d *diag.Diagnostic, op string, u *expr.Unreadable, args []expr.Node) {
	if !comparison(op) && len(args) > 0 {
		b.mixed(d, op, u, args)
		return
	}
	if len(args) != 2 {
		return
	}
	l, r := args[0], args[1]
	other := l
	if sameNode(l, u.X) {
		other = r
	}
	if len(other.String()) > maxHint {
		return
	}
	d.Message = fmt.Sprintf("cannot compare %s (%s) with the text %s, which is no %s", other, other.Type(), u.X, noun(other.Type()))
	side := func(n expr.Node) string {
		if sameNode(n, other) {
			return fmt.Sprintf("CAST(%s AS STRING)", n)
		}
		return n.String()
	}
	d.WithHint("write a %s, or compare as text: %s %s %s", noun(other.Type()), side(l), op, side(r))
}

// mixed explains values of several types among which a text has none of the others.
func (b *Binder) mixed(d *diag.Diagnostic, op string, u *expr.Unreadable, args []expr.Node) {
	i := slices.IndexFunc(args, func(n expr.Node) bool {
		t := n.Type()
		return t.Kind == u.To.Kind || t.IsNumeric() && u.To.IsNumeric()
	})
	if i < 0 && len(args) == 2 {
		i = slices.IndexFunc(args, func(n expr.Node) bool { return !sameNode(n, u.X) })
	}
	if i < 0 || len(args[i].String()) > maxHint || u.X.Type().Kind != types.String {
		return
	}
	other := args[i]
	d.Message = fmt.Sprintf("%s of %s (%s) and the text %s, which is no %s", op, other, other.Type(), u.X, noun(u.To))
	switch {
	case (op == "+" || op == "-") && other.Type().IsTime():
		d.WithHint("a length of time is written INTERVAL '1' DAY")
	case ofOneType(op):
		d.WithHint("make all of them text, CAST(%s AS STRING), or write a %s", other, noun(u.To))
	}
}

// ofOneType reports what wants values of one type.
func ofOneType(op string) bool {
	switch op {
	case "CASE", "in", "if", "nvl2", "coalesce", "nullif", "greatest", "least", "array", "map":
		return true
	}
	return false
}

func comparison(op string) bool {
	switch op {
	case "=", "<>", "<", "<=", ">", ">=", "<=>":
		return true
	}
	return false
}

func sameNode(a, b expr.Node) bool { return a.String() == b.String() }

// noun names what text must be to be read as a type.
func noun(t types.Type) string {
	switch {
	case t.IsNumeric():
		return "number"
	case t.Kind == types.Date:
		return "date such as '2024-01-31'"
	case t.Kind == types.Interval:
		return "length of time such as INTERVAL '1' DAY"
	case t.IsTime():
		return "time such as '2024-01-31 12:00:00'"
	}
	return t.String()
}

// pairHint is the way out for an operator that does not take two types together.
func pairHint(op string, l, r expr.Node) string {
	lt, rt := l.Type(), r.Type()
	switch {
	case (op == "+" || op == "-") && (lt.IsTime() || lt.Kind == types.Date) && rt.IsNumeric():
		return fmt.Sprintf("write %s %s INTERVAL '%s' DAY", l, op, constOr(r, "1"))
	case op[0] == '$': // x[i] and x.field
	case lt.Kind == types.Struct:
		return structHint(l, r)
	case rt.Kind == types.Struct:
		return structHint(r, l)
	case lt.Kind == types.Array:
		return fmt.Sprintf("write array_contains(%s, %s)", l, r)
	case rt.Kind == types.Array:
		return fmt.Sprintf("write array_contains(%s, %s)", r, l)
	case comparison(op) && lt.Kind == types.Interval && rt.IsNumeric():
		return fmt.Sprintf("write INTERVAL '%s' DAY; datediff(later, earlier) counts days", constOr(r, "1"))
	case (lt.IsTime() || lt.Kind == types.Date) && rt.IsNumeric(), (rt.IsTime() || rt.Kind == types.Date) && lt.IsNumeric():
		return "a date is written DATE '2024-01-31', a time TIMESTAMP '2024-01-31 12:00:00'"
	case types.CanCast(lt, rt) && !lt.Equal(rt) && op != "+" && op != "-":
		return fmt.Sprintf("write CAST(%s AS %s)", l, rt)
	}
	return ""
}

// joined is what + and - between text and something else probably mean.
func joined(op string, l, r expr.Node) string {
	lt, rt := l.Type(), r.Type()
	switch {
	case op != "+" && op != "-" || lt.Kind != types.String && rt.Kind != types.String:
		return ""
	case lt.IsTime() || lt.Kind == types.Date:
		return "a length of time is written INTERVAL '1' DAY"
	case op == "+":
		return fmt.Sprintf("text is joined with ||: %s || %s", l, r)
	}
	return ""
}

// constOr is the text of a constant, else another.
func constOr(n expr.Node, other string) string {
	if expr.IsConst(n) {
		return n.String()
	}
	return other
}

// structHint names a field to compare instead.
func structHint(s, other expr.Node) string {
	for _, f := range s.Type().Fields {
		if _, ok := types.ComparisonType(f.Type, other.Type()); ok {
			return fmt.Sprintf("compare a field: %s.%s", s, f.Name)
		}
	}
	return "compare its fields one by one"
}

// conditionHint is a test to write for a value that is no BOOLEAN.
func conditionHint(n expr.Node) string {
	switch t := n.Type(); {
	case len(n.String()) > maxHint:
		return ""
	case t.IsNumeric():
		return fmt.Sprintf("write %s <> 0", n)
	default:
		return fmt.Sprintf("write a comparison, or %s IS NOT NULL", n)
	}
}

// missingTable reports a name qualified by a table that FROM does not have.
func (e *env) missingTable(ref *ast.ColumnRef) bool {
	first := ref.Parts[0].Name
	tables := e.scope.tables()
	if len(ref.Parts) < 2 || len(tables) == 0 || len(e.scope.find("", first)) > 0 {
		return false
	}
	o, _ := e.b.cat.Find(first)
	near := diag.HintDidYouMean(first, tables)
	if o == nil && near == "" {
		return false
	}
	d := e.b.errorf(diag.UnknownColumn, ref.Parts[0].Span, "there is no table %q in FROM", first)
	switch {
	case near != "":
		d.Hint = near
	case len(tables) == 1:
		d.WithHint("the table there is called %q, as in %s.%s", tables[0], tables[0], ref.Parts[1].Name)
	default:
		d.WithHint("the tables there are %s", strings.Join(tables, ", "))
	}
	return true
}

// constText is the text of a constant argument.
func constText(n expr.Node) (string, bool) {
	v := expr.ConstValue(n)
	if v == nil || v.Type.Kind != types.String || v.IsNull(0) {
		return "", false
	}
	return v.Text(0), true
}

// foreignPatterns turn the patterns of C, MySQL, Oracle and PostgreSQL into ours.
var foreignPatterns = []*strings.Replacer{
	strings.NewReplacer("%Y", "yyyy", "%y", "yy", "%m", "MM", "%d", "dd", "%e", "d", "%H", "HH", "%I", "hh", "%h", "hh", "%i", "mm", "%M", "mm",
		"%S", "ss", "%s", "ss", "%f", "SSSSSS", "%T", "HH:mm:ss", "%F", "yyyy-MM-dd", "%b", "MMM", "%B", "MMMM", "%a", "E", "%A", "EEEE", "%p", "a", "%j", "DDD", "T", "'T'"),
	strings.NewReplacer("YYYY", "yyyy", "YY", "yy", "MONTH", "MMMM", "Month", "MMMM", "month", "MMMM", "MON", "MMM", "Mon", "MMM", "mon", "MMM",
		"DD", "dd", "HH24", "HH", "HH12", "hh", "HH", "HH", "MI", "mm", "mi", "mm", "SS", "ss", "FF6", "SSSSSS", "FF3", "SSS", "FF", "SSSSSS", "MS", "SSS",
		"US", "SSSSSS", "AM", "a", "PM", "a", "DAY", "EEEE", "Day", "EEEE", "DY", "E", "Dy", "E", "\"T\"", "'T'", "TZ", "VV"),
}

// patternHint is the pattern in our letters, where that is one.
func (b *Binder) patternHint(name string, args []expr.Node) string {
	for i, a := range args {
		text, ok := constText(a)
		for _, r := range foreignPatterns {
			other := r.Replace(text)
			if !ok || other == text {
				continue
			}
			with := append([]expr.Node(nil), args...)
			with[i] = expr.Text(other)
			if _, err := b.res.Resolve(name, with...); err == nil {
				return fmt.Sprintf("write '%s'", strings.ReplaceAll(other, "'", "''"))
			}
		}
	}
	return ""
}

// partHint is what to write for the parts of a time that BigQuery and Snowflake extract as
// fields, "" if it is none.
func partHint(args []expr.Node) string {
	if len(args) != 2 {
		return ""
	}
	text, _ := constText(args[0])
	switch strings.ToLower(text) {
	case "date", "time":
		return fmt.Sprintf("write CAST(%s AS %s)", args[1], strings.ToUpper(text))
	case "epoch_second", "epoch_seconds":
		return fmt.Sprintf("write unix_seconds(%s)", args[1])
	case "epoch_millisecond", "epoch_milliseconds":
		return fmt.Sprintf("write unix_millis(%s)", args[1])
	case "dayofweekiso", "dayofweek_iso", "weekday_iso":
		return fmt.Sprintf("write isodow(%s)", args[1])
	}
	return ""
}

// timeFields are what a misspelt field of a time is compared with.
var timeFields = []string{"year", "month", "day", "hour", "minute", "second", "week", "quarter", "millisecond", "microsecond", "epoch",
	"dow", "doy", "dayofweek", "dayofyear", "isodow", "isoyear", "decade", "century"}

func fieldHint(args []expr.Node) string {
	for _, a := range args {
		if text, ok := constText(a); ok {
			if near := diag.DidYouMean(text, timeFields); near != "" {
				return "did you mean " + near + "?"
			}
		}
	}
	return "the fields are " + strings.Join(timeFields, ", ")
}

// doubledBackslash notes a pattern such as '\\d', which Spark and MySQL read as \d and which
// matches a backslash here.
func (b *Binder) doubledBackslash(span diag.Span, name string, args []expr.Node) {
	if len(args) < 2 || !strings.HasPrefix(name, "regexp") && name != "rlike" && name != "split" && name != "~" {
		return
	}
	text, ok := constText(args[1])
	for i := 0; ok && i+2 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if c := text[i+2]; text[i+1] == '\\' && strings.IndexByte("dDwWsSbB.", c) >= 0 {
			b.note(diag.DoubledBackslash, span, `\\%c in a pattern matches a backslash and then %c: text has no escapes here, so write '\%c'`, c, c, c)
			return
		}
		i++
	}
}

// joinedJSON notes || of two documents, which merges them in PostgreSQL and joins texts here.
func (b *Binder) joinedJSON(span diag.Span, name string, args []expr.Node) {
	if name != "||" || len(args) != 2 || args[0].Type().Kind != types.JSON {
		return
	}
	if text, _ := constText(args[1]); args[1].Type().Kind == types.JSON || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		b.note(diag.JoinedDocuments, span, "|| of JSON joins two texts; json_merge_patch(%s, %s) merges documents", args[0], args[1])
	}
}

// zonesKnown reports a constant that is no time zone.
func (b *Binder) zonesKnown(span diag.Span, name string, args []expr.Node) bool {
	var zones []expr.Node
	switch {
	case len(args) == 2 && (name == "$at_time_zone" || name == "at_time_zone" || name == "from_utc_timestamp" || name == "to_utc_timestamp"):
		zones = args[1:]
	case name == "convert_timezone" && len(args) > 1:
		zones = args[:len(args)-1]
	}
	for _, z := range zones {
		text, ok := constText(z)
		if !ok {
			continue
		}
		if _, err := types.LoadZone(text); err != nil {
			d := b.errorf(diag.WrongArguments, span, "'%s' is no time zone", text)
			if d.Hint = "a zone is a name such as 'Europe/Berlin', or an offset such as '+02:00'"; diag.DidYouMean(text, types.CommonZones()) != "" {
				d.WithHint("did you mean '%s'?", diag.DidYouMean(text, types.CommonZones()))
			}
			return false
		}
	}
	return true
}

// unitKnown reports a misspelt unit of date_trunc. One that nobody could have meant gives
// NULL, as in Spark.
func (b *Binder) unitKnown(span diag.Span, name string, args []expr.Node) bool {
	if name != "date_trunc" || len(args) == 0 {
		return true
	}
	text, ok := constText(args[0])
	near := diag.DidYouMean(text, timeFields)
	word := strings.TrimSuffix(strings.ToLower(text), "s")
	if !ok || near == "" || slices.Contains(timeFields, word) || slices.Contains([]string{"mon", "mm", "dd", "yy", "yyyy", "milli", "micro", "min", "sec", "hr"}, word) {
		return true
	}
	b.errorf(diag.WrongArguments, span, "there is no unit '%s'", text).WithHint("did you mean '%s'?", near)
	return false
}
