package conformance

// step is one thing that a test file does.
type step struct {
	file string
	line int
	sql  string
	kind stepKind
	// Of a statement: whether an error is expected.
	wantError bool
	// Of a query.
	types  string // one letter a column: I integer, R real, T text; others mean any
	sort   sortMode
	want   []string // lines as written; nil with wantError
	label  string   // queries of one label give the same rows
	conn   string   // the connection that it is of, "" = the first
	floats bool     // the result has FLOAT in it
	hashed bool     // want is "N values hashing to H"
	// Of a query over a view, in a test of steps: the change since the last step.
	change bool
	at     string // of a reset: what sets the time first
	skip   string // the reader has a reason not to run it: a rule of rules.go
}

type stepKind uint8

const (
	statement stepKind = iota
	query
	flush
	pause // sql is how long
	reset // the next step begins without objects
)

// sortMode is how rows are put in order before they are compared.
type sortMode uint8

const (
	noSort sortMode = iota
	rowSort
	valueSort
)

// script is a test file, read.
type script struct {
	name  string // path below the suite's folder
	steps []step
}

// queries is how many there are.
func (sc *script) queries() int {
	n := 0
	for _, s := range sc.steps {
		if s.kind == query {
			n++
		}
	}
	return n
}

// withoutReadOnly leaves out what a transaction that only reads refuses or does not see.
func withoutReadOnly(steps []step) {
	inside := false
	for i := range steps {
		toks := tokens(steps[i].sql)
		switch {
		case hasWords(toks, "transaction", "read", "only"):
			inside = true
		case len(toks) > 0 && toks[0].is("commit"):
			inside = false
		case inside && (steps[i].wantError || steps[i].kind == query):
			steps[i].skip = "transaction"
		}
	}
}
