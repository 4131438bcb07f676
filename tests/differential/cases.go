package differential

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// seed makes the same cases every time.
const seed = 20261130

// maker collects cases, each text once.
type maker struct {
	have map[string]map[string]bool // the functions that each engine has
	seen map[string]bool
	out  []*Case
}

// Cases makes all questions.
func Cases(r *fn.Registry, have map[string]map[string]bool) []*Case {
	m := &maker{have: have, seen: map[string]bool{}}
	for _, f := range r.Scalars() {
		if f.Volatility == fn.Immutable && !f.Hidden {
			m.scalar(f)
		}
	}
	for _, a := range r.Aggregates() {
		m.aggregate(a)
	}
	for _, w := range r.Windows() {
		m.examples(w.Name, append([]string{w.Name}, w.Aliases...), w.Examples, 0)
	}
	for _, g := range r.Generators() {
		if !g.Hidden {
			m.examples(g.Name, append([]string{g.Name}, g.Aliases...), g.Examples, 12)
		}
	}
	m.casts()
	m.written()
	return m.out
}

// add enters a case unless nobody is asked.
func (m *maker) add(c *Case) {
	if c.Spark == "" && c.DuckDB == "" || m.seen[c.Kind+c.SQL] || growing[c.Func] && large.MatchString(c.SQL) || clocked.MatchString(c.SQL) {
		return
	}
	m.seen[c.Kind+c.SQL] = true
	m.out = append(m.out, c)
}

// growing are functions whose result is as long as an argument says: the engines differ in
// how much memory they have, not in what they compute.
var growing = map[string]bool{"repeat": true, "lpad": true, "rpad": true, "space": true, "array_repeat": true, "sequence": true, "generate_series": true,
	"range": true, "format_number": true, "array_insert": true, "format_string": true, "randstr": true, "array_resize": true, "bar": true}

var large = regexp.MustCompile(`[0-9]{7,}`)

// clocked are calls whose answer depends on the time of day.
var clocked = regexp.MustCompile(`unix_timestamp\(\)|^age\([^,]*\)$`)

var word = regexp.MustCompile(`^\w+$`)

// scalar asks a function under each name that an engine has: thoroughly under the first
// that it has, a little under the others.
func (m *maker) scalar(f *fn.Scalar) {
	tuples := append(tuplesOf(newGenerator(seed, f.Name), f, maxTuples), tuplesOf(newYounger(seed, f.Name), f, maxYounger)...)
	names := append([]string{f.Name}, f.Aliases...)
	asked := map[string]bool{}
	for _, name := range names {
		first := map[string]bool{}
		for _, e := range engines {
			first[e] = m.have[e][strings.ToLower(name)] || !word.MatchString(name) || operatorWords[strings.ToLower(name)]
		}
		for i, t := range tuples {
			c := &Case{Func: f.Name, Kind: "expr", SQL: call(name, spell(t, ""))}
			for _, e := range engines {
				if first[e] && (!asked[e] || i%12 == 0) && hasTypes(e, t) {
					c.set(e, call(name, spell(t, dialect(e))))
				}
			}
			m.add(c)
		}
		for e, ok := range first {
			asked[e] = asked[e] || ok
		}
	}
	m.examples(f.Name, names, f.Examples, 24)
}

// tuplesOf are arguments of a function.
func tuplesOf(g *generator, f *fn.Scalar, most int) [][]value {
	return g.tuples(g.signatures(func(args []fn.Arg) ([]types.Type, error) {
		impl, err := f.Resolve(args)
		return impl.Args, err
	}), most)
}

// hasTypes reports whether an engine has the types of all values.
func hasTypes(engine string, t []value) bool {
	return engine != Spark || !slices.ContainsFunc(t, func(v value) bool { return v.t.Kind == types.UUID || v.t.Kind == types.JSON })
}

func (c *Case) set(engine, text string) {
	if engine == Spark {
		c.Spark = text
	} else {
		c.DuckDB = text
	}
}

// operatorWords are operators that are written as words.
var operatorWords = map[string]bool{"like": true, "ilike": true, "rlike": true, "div": true, "and": true, "or": true, "in": true, "not": true}

// call writes a call, or the operator.
func call(name string, args []string) string {
	lower := strings.ToLower(name)
	switch {
	case lower == "not":
		return "NOT " + strings.Join(args, ", ")
	case lower == "in" && len(args) > 1:
		return args[0] + " IN (" + strings.Join(args[1:], ", ") + ")"
	case lower == "and", lower == "or":
		return strings.Join(args, " "+strings.ToUpper(name)+" ")
	case operatorWords[lower] && len(args) == 2:
		return args[0] + " " + strings.ToUpper(name) + " " + args[1]
	case word.MatchString(name):
		return name + "(" + strings.Join(args, ", ") + ")"
	case len(args) == 1:
		return name + " " + args[0]
	}
	return strings.Join(args, " "+strings.ToUpper(name)+" ")
}

// named reports whether an engine has one of the names.
func (m *maker) named(engine string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return m.have[engine][strings.ToLower(n)] || !word.MatchString(n) })
}
