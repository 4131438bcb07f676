package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sltReader reads sqllogictest files in the forms of SQLite, DuckDB and RisingWave.
type sltReader struct {
	names []string // what skipif and onlyif may call us
	root  string
	// sortmode of "control sortmode": the default of queries that name none.
	sort  sortMode
	steps []step
	skip  string // a reason that holds for the rest of the file
	nest  int
}

// readSLT reads a file and what it includes.
func readSLT(root, path string, names []string) (*script, error) {
	r := &sltReader{names: names, root: root}
	if err := r.file(filepath.Join(root, path)); err != nil {
		return nil, err
	}
	return &script{name: path, steps: r.steps}, nil
}

func (r *sltReader) file(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	p := &sltFile{sltReader: r, path: path, lines: lines}
	return p.records(0, len(lines), nil)
}

// sltFile is one file being read.
type sltFile struct {
	*sltReader
	path  string
	lines []string
}

// records reads lines [from, to). vars are those of the loops around.
func (p *sltFile) records(from, to int, vars []string) error {
	guard := "" // of skipif and onlyif, for the next record
	for i := from; i < to; {
		f := strings.Fields(p.lines[i])
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			i++
			continue
		}
		switch f[0] {
		case "statement", "query":
			i = p.record(i, to, f, vars, guard)
			guard = ""
		case "skipif", "onlyif":
			if known := p.known(f); known == (f[0] == "skipif") {
				guard = "guard"
			}
			i++
		case "loop", "foreach", "concurrentloop", "concurrentforeach":
			end, err := p.loop(i, to, f, vars)
			if err != nil {
				return err
			}
			i = end + 1
		default:
			if guard != "" { // what is guarded may be a line that changes how others are read
				guard = ""
				i++
				continue
			}
			if err := p.control(f, vars); err != nil {
				return err
			}
			if f[0] == "halt" {
				return nil
			}
			i++
			if f[0] == "system" || f[0] == "python" {
				i = p.paragraph(i, to)
			}
		}
	}
	return nil
}

func (p *sltFile) known(f []string) bool {
	for _, n := range p.names {
		if len(f) > 1 && strings.EqualFold(f[1], n) {
			return true
		}
	}
	return false
}

// paragraph is the first line after i that is blank.
func (p *sltFile) paragraph(i, to int) int {
	for i < to && strings.TrimSpace(p.lines[i]) != "" {
		i++
	}
	return i
}

// control is a line that changes how others are read.
func (p *sltFile) control(f []string, vars []string) error {
	switch f[0] {
	case "include":
		if p.nest++; p.nest > 20 {
			return fmt.Errorf("%s: includes itself", p.path)
		}
		defer func() { p.nest-- }()
		pattern := filepath.Join(filepath.Dir(p.path), expand(f[len(f)-1], vars))
		paths := matching(pattern)
		if len(paths) == 0 {
			p.steps = append(p.steps, step{file: p.path, sql: pattern, skip: "include"})
		}
		if strings.Contains(pattern, "*") { // each is a file of its own: suite.files lists it
			return nil
		}
		for _, path := range paths {
			if err := p.sltReader.file(path); err != nil {
				return err
			}
		}
	case "control":
		if len(f) == 3 && f[1] == "sortmode" {
			p.sort = sortOf(f[2:], noSort)
		}
	case "require", "require-env", "load", "test-env", "restart", "reconnect", "unzip":
		if reason := requirement(f); reason != "" {
			p.skip = reason
		}
	case "sleep":
		p.steps = append(p.steps, step{file: p.path, kind: pause, sql: strings.Join(f[1:], " ")})
	case "mode":
		if len(f) > 1 && f[1] == "skip" {
			p.skip = "mode skip"
		} else if len(f) > 1 && f[1] == "unskip" {
			p.skip = ""
		}
	}
	return nil
}

// requirement is the rule by which the rest of a file is not applicable, if it is.
func requirement(f []string) string {
	switch {
	case f[0] == "require" && len(f) > 1:
		switch f[1] {
		case "vector_size", "skip_reload", "notwindows", "no_alternative_verify", "noalternativeverify", "no_vector_verification", "64bit", "noforcestorage",
			"block_size", "ram", "longdouble", "exact_vector_size", "no_extension_autoloading", "allow_unsigned_extensions", "json", "icu", "strinline", "core_functions", "disk_space":
			return ""
		}
		return "extension"
	case f[0] == "require-env":
		return "extension"
	case f[0] == "load" || f[0] == "restart" || f[0] == "unzip":
		return "storage"
	}
	return ""
}

// loop runs the body once for each value.
func (p *sltFile) loop(i, to int, f, vars []string) (end int, err error) {
	depth := 1
	for end = i + 1; end < to && depth > 0; end++ {
		w := strings.Fields(p.lines[end])
		if len(w) == 0 {
			continue
		}
		switch w[0] {
		case "loop", "foreach", "concurrentloop", "concurrentforeach":
			depth++
		case "endloop":
			depth--
		}
	}
	if depth > 0 || len(f) < 3 {
		return 0, fmt.Errorf("%s:%d: a loop without end", p.path, i+1)
	}
	end--
	for _, v := range loopValues(f) {
		if err := p.records(i+1, end, append(vars[:len(vars):len(vars)], f[1], v)); err != nil {
			return 0, err
		}
	}
	return end, nil
}

// maxLoop bounds the turns of a loop.
const maxLoop = 200

func loopValues(f []string) []string {
	if strings.HasSuffix(f[0], "foreach") {
		var out []string
		for _, v := range f[2:] {
			out = append(out, groupOf(v)...)
		}
		return out
	}
	from, _ := strconv.Atoi(f[2])
	to, _ := strconv.Atoi(f[len(f)-1])
	var out []string
	for k := from; k < to && len(out) < maxLoop; k++ {
		out = append(out, strconv.Itoa(k))
	}
	return out
}

// groupOf is a value of foreach, or the types that DuckDB's names of groups stand for.
func groupOf(v string) []string {
	signed := []string{"tinyint", "smallint", "integer", "bigint", "hugeint"}
	unsigned := []string{"utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"}
	integral := append(signed[:5:5], unsigned...)
	numeric := append(integral[:10:10], "float", "double")
	switch v {
	case "<signed>":
		return signed
	case "<unsigned>":
		return unsigned
	case "<integral>":
		return integral
	case "<numeric>":
		return numeric
	case "<alltypes>":
		return append(numeric[:12:12], "bool", "interval", "varchar")
	}
	return []string{v}
}

// expand puts the values of loops into a text.
func expand(s string, vars []string) string {
	for k := 0; k+1 < len(vars); k += 2 {
		names, values := strings.Split(vars[k], ","), []string{vars[k+1]}
		if len(names) > 1 {
			values = strings.Split(vars[k+1], ",")
		}
		for n, name := range names {
			if n < len(values) {
				s = strings.ReplaceAll(strings.ReplaceAll(s, "${"+name+"}", values[n]), "{"+name+"}", values[n])
			}
		}
	}
	return s
}

// record reads a statement or query and returns the line after it.
func (p *sltFile) record(i, to int, f, vars []string, guard string) int {
	s := step{file: p.path, line: i + 1, skip: p.skip}
	if guard != "" {
		s.skip = "guard"
	}
	first := i + 1
	if f[0] == "statement" && first+1 < to && strings.TrimSpace(p.lines[first]) == "" && strings.HasPrefix(strings.ToLower(p.lines[first+1]), "create table ") {
		first++ // a blank line before the statement is part of it
	}
	end := p.paragraph(first, to)
	bar := first
	for bar < to && strings.TrimSpace(p.lines[bar]) != "----" && strings.TrimSpace(p.lines[bar]) != "" {
		bar++
		if bar < end && bar > first && strings.HasPrefix(p.lines[bar], "# ") { // a comment ends a statement, as a blank line does
			end = bar
			break
		}
	}
	s.sql = strings.TrimSuffix(strings.TrimSpace(expand(strings.Join(p.lines[first:bar], "\n"), vars)), ";")
	if bar < to && strings.TrimSpace(p.lines[bar]) == "----" {
		end = p.resultEnd(bar+1, to)
		for _, l := range p.lines[bar+1 : end] {
			s.want = append(s.want, expand(l, vars))
		}
	}
	p.head(&s, f)
	list := statements(s.sql)
	for i, sql := range list { // the last one is what the record is about
		one := s
		if one.sql = sql; i < len(list)-1 {
			one = step{file: s.file, line: s.line, sql: sql, skip: s.skip, conn: s.conn}
			if s.wantError {
				one.skip = "maybe"
			}
		}
		p.steps = append(p.steps, one)
	}
	return end
}

// resultEnd is the end of an expected result: a blank line.
func (p *sltFile) resultEnd(i, to int) int {
	for i < to && p.lines[i] != "" {
		i++
	}
	return i
}

// head reads the first line of a record.
func (p *sltFile) head(s *step, f []string) {
	if f[0] == "statement" {
		s.wantError = len(f) > 1 && f[1] == "error"
		s.want = nil
		if len(f) > 1 && f[1] == "maybe" {
			s.skip = "maybe"
		}
		if len(f) > 2 && !strings.HasPrefix(f[2], "#") {
			s.conn = f[2]
		}
		if strings.EqualFold(strings.TrimSpace(s.sql), "flush") {
			s.kind = flush
		}
		return
	}
	if len(f) > 1 && f[1] == "error" {
		s.wantError, s.want = true, nil
		return
	}
	s.kind = query
	if len(f) > 1 {
		s.types = strings.ToUpper(f[1])
	}
	s.sort = sortOf(f[min(2, len(f)):], p.sort)
	for _, w := range f[min(2, len(f)):] {
		switch {
		case sortOf([]string{w}, 99) != 99:
		case p.connection(w):
			s.conn = w
		default:
			s.label = w
		}
	}
	s.hashed = len(s.want) == 1 && strings.Contains(s.want[0], " values hashing to ")
}

var numberedConnection = regexp.MustCompile(`^con\d+$`)

// connection reports that a word behind the types of a query is no label: statements are of
// it, which have no labels.
func (p *sltFile) connection(name string) bool {
	return numberedConnection.MatchString(name) || slices.ContainsFunc(p.lines, func(l string) bool {
		f := strings.Fields(l)
		return len(f) > 2 && f[0] == "statement" && f[2] == name
	})
}

func sortOf(words []string, or sortMode) sortMode {
	for _, w := range words {
		switch w {
		case "rowsort", "sort":
			return rowSort
		case "valuesort":
			return valueSort
		case "nosort":
			return noSort
		}
	}
	return or
}
