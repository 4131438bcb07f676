package catalog

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Function is a function written in SQL: an expression or a query over its parameters,
// which is bound again at each call. Names of functions match without regard to case, and
// are apart from those of other objects.
type Function struct {
	Name    string
	Params  []Param
	Returns *types.Type    // nil = as the body says
	Body    ast.Expr       // of a scalar function
	Query   *ast.Query     // of a table function
	Columns []types.Column // of RETURNS TABLE (…); nil = as the query says
	Source  *diag.Source   // the text that the spans of the body point into
	Text    string         // the CREATE statement
}

// Param is a parameter of a function.
type Param struct {
	Name    string
	Type    *types.Type // nil = any
	Default ast.Expr    // nil = an argument must be given
}

// ObjectName implements Object.
func (f *Function) ObjectName() string { return f.Name }

// ObjectKind implements Object.
func (f *Function) ObjectKind() ast.Object { return ast.ObjectFunction }

// Syntax is how a call is written.
func (f *Function) Syntax() string {
	list := make([]string, len(f.Params))
	for i, p := range f.Params {
		list[i] = p.Name
		if p.Type != nil {
			list[i] += " " + p.Type.String()
		}
		if p.Default != nil {
			list[i] = "[" + list[i] + "]"
		}
	}
	return f.Name + "(" + strings.Join(list, ", ") + ")"
}

// Function finds a function written in SQL; nil if there is none.
func (c *Catalog) Function(name string) *Function {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.macros[strings.ToLower(name)]
}

// PutFunction adds a function, or replaces the one of this name.
func (c *Catalog) PutFunction(f *Function) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.macros[strings.ToLower(f.Name)] = f
}

// DropFunction removes a function.
func (c *Catalog) DropFunction(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.macros, strings.ToLower(name))
}

// SQLFunctions lists the functions that are written in SQL, by name.
func (c *Catalog) SQLFunctions() []*Function {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([]*Function, 0, len(c.macros))
	for _, f := range c.macros {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *Function) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// FunctionNames lists the names of all functions, for suggestions.
func (c *Catalog) FunctionNames() []string {
	names := slices.Clip(c.Functions.Names())
	for _, f := range c.SQLFunctions() {
		names = append(names, f.Name)
	}
	return names
}

// KnowsFunction reports a function of this name that is not written in SQL.
func (c *Catalog) KnowsFunction(name string) bool {
	name = strings.ToLower(name)
	if _, ok := c.Functions.Scalar(name); ok {
		return true
	}
	if _, ok := c.Functions.Aggregate(name); ok {
		return true
	}
	if _, ok := c.Functions.Window(name); ok {
		return true
	}
	_, ok := c.Functions.Generator(name)
	return ok
}
