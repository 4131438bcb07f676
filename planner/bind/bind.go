// Package bind turns the syntax tree into logical plans: it resolves names against
// the catalog and scopes, finds types and casts, and expands views, stars, windows
// and subqueries. It knows neither output modes nor frontiers; it reports every
// independent error of a statement.
//
// Open this file first, then scope.go (names), select.go (one SELECT), from.go
// (FROM), expr.go (expressions), window.go (time windows), define.go (CREATE).
package bind

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Settings are what the session gives a statement.
type Settings struct {
	Zone  *time.Location // nil = UTC
	Batch bool           // every source is read once, as a table
	// NullOnError: what cannot be computed is NULL, and no error (SET eval_error = 'null').
	NullOnError bool
	// RecursionRounds and RecursionRows limit recursive queries; 0 = the constants of these names.
	RecursionRounds, RecursionRows int64
	// File finds the columns of a path in FROM; nil = paths are refused.
	File func(path string, stream bool) (*catalog.Relation, error)
	// TableFunction gives the rows of state('q', 'op'), checkpoint('path') and their like;
	// atBatch −1 = latest. nil or a nil relation = no such function.
	TableFunction func(name string, args []string, atBatch int64) (*catalog.Relation, error)
	// System is a table of what the host knows of itself, by its name (sys.queries); nil or
	// a nil relation = no such table.
	System func(name string) *catalog.Relation
	// SystemNames are those that System knows, for the one that was meant.
	SystemNames []string
	// Infer finds the columns of a relation that declares none, from the data that is
	// there; nil = not possible.
	Infer func(r *catalog.Relation) ([]types.Column, error)
	// Rows computes a finite plan whose rows decide what a statement means; nil = not possible.
	Rows func(plan logical.Node) ([]*vec.Batch, error)
}

// Binder binds statements. It is used by one goroutine, for one statement.
type Binder struct {
	cat      *catalog.Catalog
	set      Settings
	res      *expr.Resolver
	diags    []*diag.Diagnostic
	views    []*catalog.View                   // being expanded, outermost first
	large    map[*catalog.View]*logical.Shared // plans of views that have been read
	at       diag.Span                         // inside a view: where the outermost one was named
	calls    []*invocation                     // calls of functions written in SQL, outermost first
	ctes     *cteScope
	expanded int // calls of table functions so far

	binds *ast.CTE // whose query is being bound, innermost
	// scopes counts those that outer references go to.
	scopes  int
	implied int // how deep queries that see what stands before them are nested

	wanted   map[*ast.Values][]types.Type // what INSERT makes of the columns of its VALUES
	defaults map[*ast.Values][]expr.Node  // what DEFAULT is in them
}

// Want tells which types the columns of VALUES are stored as: each value is brought to
// them by itself, so that a number in one row changes no text in another.
func (b *Binder) Want(v *ast.Values, columns []types.Type) {
	if b.wanted == nil {
		b.wanted = map[*ast.Values][]types.Type{}
	}
	b.wanted[v] = columns
}

// Default tells what DEFAULT stands for in the columns of VALUES.
func (b *Binder) Default(v *ast.Values, columns []expr.Node) {
	if b.defaults == nil {
		b.defaults = map[*ast.Values][]expr.Node{}
	}
	b.defaults[v] = columns
}

// Storable is what INSERT converts by itself: what is safe, numbers to narrower ones and
// text to nested values, both checked at run time, times to dates, and the same inside of
// nested values.
func Storable(from, to types.Type) bool {
	switch {
	case types.CanCoerce(from, to), from.IsNumeric() && to.IsNumeric(), from.IsTime() && to.IsTime(), from.Kind == types.String && to.IsNested():
		return true
	case from.Kind != to.Kind || !from.IsNested():
		return false
	case from.Kind == types.Map:
		return Storable(*from.Key, *to.Key) && Storable(*from.Elem, *to.Elem)
	case from.Kind == types.Array:
		return Storable(*from.Elem, *to.Elem)
	}
	if len(from.Fields) != len(to.Fields) {
		return false
	}
	for i, f := range from.Fields {
		if !strings.EqualFold(f.Name, to.Fields[i].Name) || !Storable(f.Type, to.Fields[i].Type) {
			return false
		}
	}
	return true
}

// New returns a binder.
func New(cat *catalog.Catalog, set Settings) *Binder {
	if set.Zone == nil {
		set.Zone = time.UTC
	}
	return &Binder{cat: cat, set: set, large: map[*catalog.View]*logical.Shared{}, res: &expr.Resolver{Functions: cat.Functions, Zone: set.Zone}}
}

// Result is a bound query.
type Result struct {
	Plan logical.Node
	// Spans are where each output column was written.
	Spans []diag.Span
}

// Query binds a query that stands alone.
func (b *Binder) Query(q *ast.Query) (*Result, error) {
	r := b.query(q, nil)
	if err := b.Err(); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, errors.New("bind: query without plan and without error")
	}
	return &Result{Plan: r.plan, Spans: r.spans}, nil
}

// Diagnostics are the warnings and notes so far.
func (b *Binder) Diagnostics() []*diag.Diagnostic { return b.diags }

// Err is the errors so far as one error, nil if there are only warnings.
func (b *Binder) Err() error {
	var list []*diag.Diagnostic
	for _, d := range b.diags {
		if d.Severity == diag.SeverityError {
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return diag.NewError(nil, list...)
}

// errorf reports an error and returns it, so that a hint can be added. Inside a view
// it points at the view's name in the statement.
func (b *Binder) errorf(code diag.Code, span diag.Span, format string, args ...any) *diag.Diagnostic {
	msg := fmt.Sprintf(format, args...)
	span, msg = b.outermost(span, msg)
	d := diag.Errorf(code, span, "%s", msg)
	for _, old := range b.diags {
		if old.Code == d.Code && old.Span == d.Span && old.Message == d.Message {
			return old
		}
	}
	b.diags = append(b.diags, d)
	return d
}

// outermost is where a message about a text that is not the statement's own points: to the
// outermost view or call, with what it is about inside of that.
func (b *Binder) outermost(span diag.Span, msg string) (diag.Span, string) {
	at := span
	if n := len(b.calls); n > 0 && !b.calls[n-1].defining {
		at, msg = b.at, b.calls[n-1].inFunction(span)+msg
	}
	if n := len(b.views); n > 0 {
		at, msg = b.at, fmt.Sprintf("in view %q: %s", b.views[n-1].Name, msg)
	}
	return at, msg
}

// place is a place of the statement, for messages of who has no text.
func (b *Binder) place(span diag.Span) diag.Span {
	at, _ := b.outermost(span, "")
	return at
}

func (b *Binder) warnf(code diag.Code, span diag.Span, format string, args ...any) {
	span, msg := b.outermost(span, fmt.Sprintf(format, args...))
	b.diags = append(b.diags, diag.Warnf(code, span, "%s", msg))
}

// note informs, once.
func (b *Binder) note(code diag.Code, span diag.Span, format string, args ...any) {
	d := diag.Infof(code, b.place(span), format, args...)
	for _, old := range b.diags {
		if old.Code == code && old.Message == d.Message {
			return
		}
	}
	b.diags = append(b.diags, d)
}

// report turns an error of exec/expr or a function into a diagnostic.
func (b *Binder) report(err error, span diag.Span) *diag.Diagnostic {
	var unknown *expr.UnknownFunction
	if errors.As(err, &unknown) {
		return b.unknownFunction(unknown.Name, span)
	}
	return b.errorf(diag.WrongArguments, span, "%s", err.Error())
}

// resolve applies a function or operator to bound arguments; nil arguments are errors
// that were reported.
func (b *Binder) resolve(span diag.Span, name string, args ...expr.Node) expr.Node {
	for _, a := range args {
		if a == nil {
			return nil
		}
	}
	n, err := b.res.Resolve(name, args...)
	if err != nil {
		b.refuse(err, span, b.syntaxOf(name), args)
		return nil
	}
	b.doubledBackslash(span, name, args)
	b.joinedJSON(span, name, args)
	if !b.zonesKnown(span, name, args) || !b.unitKnown(span, name, args) {
		return nil
	}
	return n
}

// apply calls a function that is not looked up by name.
func (b *Binder) apply(span diag.Span, f *fn.Scalar, args ...expr.Node) expr.Node {
	impl, err := f.Resolve(expr.Args(args))
	if err != nil {
		err = fmt.Errorf("%s %w", f.Name, err)
	} else {
		err = b.res.Coerce(f.Name, impl.Args, args)
	}
	if err != nil {
		b.report(err, span)
		return nil
	}
	return b.res.Fold(expr.NewCall(f, impl, args))
}

// cast converts without a CAST in the text.
func (b *Binder) cast(span diag.Span, x expr.Node, to types.Type) expr.Node {
	if x == nil {
		return nil
	}
	n, err := b.res.Cast(x, to, false)
	if err != nil {
		b.report(err, span)
		return nil
	}
	return n
}
