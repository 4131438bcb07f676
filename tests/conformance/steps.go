package conformance

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// stepReader reads tests in the form of Feldera's: Java programs that give a script of
// tables and views, then steps, each of rows and of the change of the view; and queries
// with the table that is their result.
type stepReader struct {
	path    string
	prelude []step // the tables that each test of the file has
	steps   []step
	vars    map[string]string
	fresh   bool   // the world holds the prelude and no more
	view    string // the last view of the script
	broken  bool   // the script is made by the program: its steps cannot be read
}

// readSteps reads a test of steps.
func readSteps(root, path string) (*script, error) {
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return nil, err
	}
	toks := javaTokens(string(data))
	r := &stepReader{path: path, vars: map[string]string{}}
	r.inherit(root, toks, 0)
	r.prepared(toks)
	for i := 0; i < len(toks); {
		i = r.next(toks, i)
	}
	return &script{name: path, steps: r.steps}, nil
}

// inherit reads the prelude of the class that the test's class extends.
func (r *stepReader) inherit(root string, toks []javaToken, depth int) {
	for i := 0; i+1 < len(toks) && depth < 4; i++ {
		if toks[i].name && toks[i].text == "extends" {
			data := classText(root, toks[i+1].text)
			if data == "" {
				return
			}
			base := javaTokens(data)
			r.inherit(root, base, depth+1)
			r.prepared(base)
			return
		}
	}
}

// classText is the program of a class, whatever folder it is in; "" if it is in none.
func classText(root, name string) (text string) {
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != name+".java" {
			return nil // a folder that cannot be read has no class
		}
		data, err := os.ReadFile(path)
		text = string(data)
		return errors.Join(err, fs.SkipAll)
	})
	return text
}

// prepared reads what prepareInputs of a class submits: it replaces that of the base.
func (r *stepReader) prepared(toks []javaToken) {
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].text != "prepareInputs" || toks[i+1].text != "(" || toks[i+2].text != "DBSPCompiler" {
			continue
		}
		r.prelude = nil
		numbers := javaNumbers(toks)
		depth := 0
		for ; i < len(toks); i++ {
			if toks[i].string {
				text, line := toks[i].text, toks[i].line
				for i+2 < len(toks) && toks[i+1].text == "+" && !toks[i+1].string && (toks[i+2].string || numbers[toks[i+2].text] != "") {
					if i += 2; toks[i].string {
						text += toks[i].text
					} else {
						text += numbers[toks[i].text]
					}
				}
				if i+1 < len(toks) && toks[i+1].text == "," { // the name of a table whose rows are in a file
					r.prelude = append(r.prelude, step{file: r.path, line: line, sql: "INSERT INTO " + text + " VALUES (NULL)", skip: "program"})
					continue
				}
				r.prelude = append(r.prelude, r.split(text, line)...)
			} else if toks[i].text == "{" {
				depth++
			} else if toks[i].text == "}" {
				if depth--; depth == 0 {
					return
				}
			}
		}
	}
}

// split cuts a script at its semicolons.
func (r *stepReader) split(sql string, line int) []step {
	var out []step
	for _, s := range statements(sql) {
		out = append(out, step{file: r.path, line: line, sql: s})
	}
	return out
}

// next reads the token at i, and what belongs to it.
func (r *stepReader) next(toks []javaToken, i int) int {
	t := toks[i]
	if !t.name || i+1 >= len(toks) {
		return i + 1
	}
	if t.text == "CompilerCircuitStream" && i > 0 && toks[i-1].text == "new" { // of a script that is not read
		r.broken = true
	}
	if t.text == "Ignore" && i > 0 && toks[i-1].text == "@" {
		return pastMethod(toks, i)
	}
	if r.vars[t.text] != "" && i+2 < len(toks) && toks[i+1].text == "+" && toks[i+2].text == "=" && !toks[i+1].string { // += is not followed
		delete(r.vars, t.text)
	}
	if toks[i+1].text == "=" && !toks[i+1].string && i > 0 && (toks[i-1].text == "String" || r.vars[t.text] != "") {
		return r.assign(toks, i)
	}
	if toks[i+1].text != "(" || toks[i+1].string || i > 0 && toks[i-1].name && toks[i-1].text != "return" {
		return i + 1
	}
	switch t.text {
	case "getCCS", "getCC", "step", "stepWeightOne", "q", "qs", "qst", "qf", "testQuery", "runtimeConstantFail":
		args, ok, next := javaArgs(toks, i+1, r.vars)
		if len(args) > 0 && ok[0] {
			r.call(t.text, args, ok, t.line)
		} else if strings.HasPrefix(t.text, "getCC") {
			r.broken = len(args) > 0
		}
		return next
	}
	return i + 1
}

// pastMethod is the token after the body of the next method: that of a test which is off.
func pastMethod(toks []javaToken, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		switch {
		case toks[i].string:
		case toks[i].text == "{":
			depth++
		case toks[i].text == "}":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

// assign reads String name = "…" + "…";
func (r *stepReader) assign(toks []javaToken, i int) int {
	name, text := toks[i].text, ""
	for i += 2; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t.string:
			text += t.text
		case t.text == ";":
			r.vars[name] = text
			return i + 1
		case t.text == "+":
		case t.name && r.vars[t.text] != "":
			text += r.vars[t.text]
		default:
			delete(r.vars, name)
			return i
		}
	}
	return i
}

func (r *stepReader) call(name string, args []string, ok []bool, line int) {
	two := len(args) > 1 && ok[1]
	switch name {
	case "getCCS", "getCC":
		r.broken = false
		r.program(args[0], line)
	case "step", "stepWeightOne":
		if two && !r.broken {
			r.step(args[0], args[1], name == "stepWeightOne", line)
		}
	case "q", "testQuery":
		text := args[0]
		if name == "testQuery" {
			return // its result is a Java value
		}
		r.query(text, line)
	case "qs", "qst":
		for _, part := range strings.Split(blankRow.ReplaceAllString(withoutComments(args[0]), "$1\nNULL\n$2"), "\n\n") {
			if strings.TrimSpace(part) != "" {
				r.query(rowCount.ReplaceAllString(part, ""), line)
			}
		}
	case "qf", "runtimeConstantFail":
		r.ready(line)
		r.steps = append(r.steps, step{file: r.path, line: line, kind: statement, sql: strings.TrimSuffix(strings.TrimSpace(args[0]), ";"), wantError: true})
	}
}

var (
	rowCount = regexp.MustCompile(`\n\s*\(\d+ rows?\)\s*$`)
	blankRow = regexp.MustCompile(`(---[ \t]*)\n[ \t]*\n([ \t]*\(1 row\))`) // one row, of one empty cell
)

func withoutComments(s string) string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(l), "-- ") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// ready makes the world hold the prelude alone.
func (r *stepReader) ready(line int) {
	if r.fresh {
		return
	}
	r.steps = append(append(r.steps, step{file: r.path, line: line, kind: reset}), r.prelude...)
	r.fresh = true
}

// program begins a test: tables and views.
func (r *stepReader) program(sql string, line int) {
	r.fresh = false
	r.ready(line)
	r.fresh = false
	r.view = ""
	for _, s := range r.split(sql, line) {
		if m := viewName.FindStringSubmatch(s.sql); m != nil {
			r.view = m[1]
			s.sql = viewName.ReplaceAllString(s.sql, "CREATE MATERIALIZED VIEW $1")
		}
		r.steps = append(r.steps, s)
	}
}

var viewName = regexp.MustCompile(`(?i)^CREATE\s+(?:MATERIALIZED\s+)?VIEW\s+(\w+)`)

// step is rows that come and go, and the change of the view.
func (r *stepReader) step(sql, want string, weightOne bool, line int) {
	changes := timeFirst(r.split(sql, line))
	if len(changes) > 0 && strings.EqualFold(target(tokens(changes[0].sql)), "now") {
		r.startAt(changes[0])
	}
	r.steps = append(r.steps, changes...)
	rows := tableRows(want)
	if weightOne {
		for i := range rows {
			rows[i] += "\t1"
		}
	}
	r.steps = append(r.steps, step{file: r.path, line: line, kind: query, sql: r.view, want: rows, sort: rowSort, change: true})
}

// query is a query up to its semicolon, and the table that is its result.
func (r *stepReader) query(text string, line int) {
	text = withoutComments(text)
	sql, want, ok := strings.Cut(text, ";")
	if !ok {
		return
	}
	r.ready(line)
	r.steps = append(r.steps, step{file: r.path, line: line, kind: query, sql: strings.TrimSpace(sql), want: tableRows(want), sort: rowSort})
}

// tableRows reads a table as psql, or in a frame as MySQL, prints it: cells with tabs
// between them, NULL where a cell is empty.
func tableRows(text string) []string {
	var out []string
	header, framed, bars := true, false, 0
	ruled := strings.Contains(text, "---")
	for _, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		if header && trimmed == "" {
			continue
		}
		if header && !ruled {
			header = false
			continue
		}
		framed = framed || strings.HasPrefix(trimmed, "+--")
		if strings.Contains(l, "---") {
			bars++
			header = framed && bars < 2
			continue
		}
		if header || framed && bars == 3 {
			continue
		}
		if framed {
			trimmed = strings.Trim(trimmed, "|")
		}
		cells := strings.Split(trimmed, "|")
		for i, c := range cells {
			if cells[i] = strings.TrimSpace(c); cells[i] == "" {
				cells[i] = "NULL"
			}
		}
		out = append(out, strings.Join(cells, "\t"))
	}
	if n := len(out) - 1; n > 0 && out[n] == "NULL" && strings.HasSuffix(strings.TrimRight(text, " "), "\n") { // no row, but the end of the text
		out = out[:n]
	}
	return out
}
