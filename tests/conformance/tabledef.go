package conformance

import (
	"errors"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/planner/catalog"
)

type column = catalog.Column

// tableDef is CREATE TABLE without what the product leaves to whoever writes the rows:
// defaults, which the harness fills in, and constraints, of which it keeps the key.
type tableDef struct {
	sql      string
	defaults map[string]string
	key      []string
	unique   bool // the key is UNIQUE: rows with NULL in it are all different
	filled   bool // CREATE TABLE … AS
	// watermark has the clauses of the source, which a table has no use for.
	watermark []string
	keeps     bool     // ON CONFLICT DO NOTHING
	merges    bool     // ON CONFLICT DO UPDATE IF NOT NULL
	versions  []string // WITH VERSION COLUMN (…): an older row of a key is left out
	generated []string // columns that are computed of the others
}

// generate notes a column that is computed: what INSERT does not give, as a default.
func (def *tableDef) generate(sql, name string, opts []token) {
	open := slices.IndexFunc(opts, func(t token) bool { return t.text == "(" })
	if open < 0 {
		return
	}
	end := open + 1
	for end < len(opts) && opts[end].depth > opts[open].depth {
		end++
	}
	def.generated = append(def.generated, name)
	def.defaults[strings.ToLower(name)] = span(sql, opts[open+1:end])
}

// readTable reads CREATE TABLE.
func readTable(sql string, toks []token) (*tableDef, error) {
	def := &tableDef{defaults: map[string]string{}, keeps: hasWords(toks, "on", "conflict", "do", "nothing"),
		merges: hasWords(toks, "do", "update", "if", "not", "null")}
	if i := slices.IndexFunc(toks, func(t token) bool { return t.is("version") }); i > 0 && toks[i-1].is("with") && i+2 < len(toks) && toks[i+1].is("column") {
		def.versions = listed(toks[i+2:])
	}
	if err := def.conflicts(toks); err != nil {
		return nil, err
	}
	name := target(toks)
	open := slices.IndexFunc(toks, func(t token) bool { return t.text == "(" && t.depth == 0 })
	as := slices.IndexFunc(toks, func(t token) bool { return t.is("as") && t.depth == 0 })
	if as >= 0 && (open < 0 || as < open) || open < 0 {
		def.filled = true
		def.sql = "CREATE TABLE " + quote(name)
		if as < 0 {
			as = len(toks) - 1
		}
		def.sql += " " + sql[toks[as].start:]
		return def, nil
	}
	end := slices.IndexFunc(toks[open:], func(t token) bool { return t.text == ")" && t.depth == 0 })
	if end < 0 {
		end = len(toks) - open - 1
	}
	end += open
	if as > end { // CREATE TABLE t(a, b) AS SELECT
		def.filled = true
		names := span(sql, toks[open+1:end])
		def.sql = "CREATE TABLE " + quote(name) + " AS SELECT * FROM (" + sql[toks[as].end:] + ") AS filled(" + names + ")"
		return def, nil
	}
	var parts []string
	for _, el := range splitAt(toks[open+1:end], 1) {
		if p := def.element(sql, el); p != "" {
			parts = append(parts, p)
		}
	}
	def.sql = "CREATE TABLE " + quote(name) + " (" + strings.Join(parts, ", ") + ")"
	return def, nil
}

// conflicts refuses what says two things about a row whose key is there.
func (def *tableDef) conflicts(toks []token) error {
	switch {
	case def.keeps && len(def.versions) > 0:
		return errors.New("a row that is left out has no version")
	case hasWords(toks, "append", "only") && hasWords(toks, "on", "conflict") && !def.keeps:
		return errors.New("a row of a table to which rows are only added takes no other row's place")
	}
	return nil
}

// element reads a column or a constraint, and gives what is left of it.
func (def *tableDef) element(sql string, el []token) string {
	if len(el) == 0 {
		return ""
	}
	if el[0].is("constraint") && len(el) > 2 {
		el = el[2:]
	}
	switch {
	case el[0].is("primary") || el[0].is("unique") && len(el) > 1 && el[1].text == "(":
		if i := slices.IndexFunc(el, func(t token) bool { return t.text == "(" }); i >= 0 && def.key == nil {
			def.key, def.unique = listed(el[i:]), el[0].is("unique")
			return ""
		}
		return ""
	case (el[0].is("check") || el[0].is("foreign") || el[0].is("exclude")) && len(el) > 1 && (el[1].text == "(" || el[1].is("key")):
		return ""
	case el[0].is("watermark"):
		def.watermark = append(def.watermark, span(sql, el))
		return ""
	}
	return def.columnOf(sql, el)
}

// columnOf reads a column: its name, its type, and NOT NULL. The words that follow the
// type are options.
func (def *tableDef) columnOf(sql string, el []token) string {
	end := len(el)
	for i := 1; i < len(el); i++ {
		if t := el[i]; t.depth == el[0].depth && t.kind == word && slices.ContainsFunc(columnOptions, t.is) {
			end = i
			break
		}
	}
	out := quote(el[0].name())
	if end > 1 {
		out += " " + span(sql, el[1:end])
	} else {
		out += " BIGINT" // SQLite's columns need no type
	}
	return out + def.options(sql, el[0].name(), el[end:], end > 1 && el[1].is("timestamp"))
}

var columnOptions = []string{"not", "null", "primary", "unique", "default", "check", "references", "foreign", "collate", "constraint", "generated", "as", "using", "watermark", "lateness"}

// byBytes are the collations that compare text by its bytes.
var byBytes = []string{"c", "posix", "binary", "ucs_basic", "default"}

// options reads the options of a column, which may be one of TIMESTAMP.
func (def *tableDef) options(sql, name string, opts []token, timestamp bool) string {
	out := ""
	for i := 0; i < len(opts); i++ {
		t := opts[i]
		switch {
		case t.depth != opts[0].depth:
		case t.is("not") && i+1 < len(opts) && opts[i+1].is("null"):
			out += " NOT NULL"
			i++
		case t.is("primary") && def.key == nil, t.is("unique") && def.key == nil:
			def.key, def.unique = []string{name}, t.is("unique")
		case t.is("default"):
			from := i + 1
			for i+1 < len(opts) && (i < from || !slices.ContainsFunc(columnOptions, opts[i+1].is) || opts[i+1].depth != opts[0].depth || from == i+1) {
				i++
			}
			def.defaults[strings.ToLower(name)] = span(sql, opts[from:i+1])
		case t.is("lateness"), t.is("watermark"):
			from := i
			for i+1 < len(opts) && !slices.ContainsFunc(columnOptions, opts[i+1].is) {
				i++
			}
			if t.is("watermark") { // what the product says of it
				out += " " + span(sql, opts[from:i+1])
			} else if timestamp && len(def.watermark) == 0 { // a source has one, of a TIMESTAMP
				def.watermark = append(def.watermark, "WATERMARK FOR "+quote(name)+" AS "+quote(name)+" - "+span(sql, opts[from+1:i+1]))
			}
		case t.is("collate") && i+1 < len(opts) && !slices.ContainsFunc(byBytes, opts[i+1].is):
			out += " COLLATE " + opts[i+1].text // what the product says of it
		case t.is("as") || t.is("generated"):
			def.generate(sql, name, opts[i:])
			return out + " " + span(sql, opts[i:])
		}
	}
	return out
}
