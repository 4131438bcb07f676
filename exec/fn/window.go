package fn

import "github.com/sqlstream/sqlstream/exec/types"

// Window is a function that stands only before OVER: it sees the place of a row among
// the rows of its partition. What it computes is its Kind, which the operator knows;
// aggregates with OVER are no Windows.
type Window struct {
	Name     string
	Aliases  []string
	Group    string
	Syntax   []string
	Doc      string
	Examples []Example // whole queries over VALUES
	Kind     WindowKind
	// Resolve picks the types for the argument types.
	Resolve func(args []Arg) (WindowImpl, error)
}

// WindowImpl is a window function for fixed argument types.
type WindowImpl struct {
	Args   []types.Type // what the arguments are cast to
	Result types.Type
	// N is the constant that steers the function: by how many rows lag and lead look
	// away (negative: the other way), how many tiles ntile makes, which row nth_value
	// takes. Its argument is not among Args.
	N int64
	// Steered says that N is not the same for all rows: the last of Args gives it, row by
	// row. Where it is NULL, the result is.
	Steered bool
	// IgnoreNulls is the default for a call that does not say.
	IgnoreNulls bool
}

// WindowKind is what a window function computes.
type WindowKind uint8

// The kinds. Those from FirstValue on read the frame; Lag and Lead the partition; the
// others the order of its rows. The rows that are equal by ORDER BY are peers.
const (
	RowNumber   WindowKind = iota // 1, 2, 3, …
	Rank                          // 1 + the rows before the first peer
	DenseRank                     // 1 + the groups of peers before
	PercentRank                   // (rank − 1) / (rows − 1), 0 for a single row
	CumeDist                      // rows up to the last peer / rows
	NTile                         // N tiles, of which the first ones may have a row more
	Fill                          // argument 0, and where that is NULL the line through its neighbours
	Lag                           // argument 0 of the N-th row before, else argument 1
	Lead                          // argument 0 of the N-th row after, else argument 1
	FirstValue                    // argument 0 of the first row of the frame
	LastValue                     // of the last
	NthValue                      // of the N-th
)

// TakesNulls reports whether IGNORE NULLS and RESPECT NULLS may be said.
func (k WindowKind) TakesNulls() bool { return k >= Lag }

// Framed reports whether the frame matters.
func (k WindowKind) Framed() bool { return k >= FirstValue }

// AddWindow adds a window function under its name and aliases.
func (r *Registry) AddWindow(w *Window) error { return add(r, r.windows, w, w.Name, w.Aliases) }

// Window finds a window function by name or alias.
func (r *Registry) Window(name string) (*Window, bool) { return find(r.windows, name) }

// Windows lists the window functions by name, each once.
func (r *Registry) Windows() []*Window {
	return sortedOnce(r.windows, func(w *Window) string { return w.Name })
}
