// Package arch owns the rules on which package may import which, as a table, and
// the small lints of the house. The tests here read the sources and fail on any
// other edge. docs/architecture.md is checked against the same table. Open this
// file first.
package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Module is the import path of the project.
const Module = "github.com/sqlstream/sqlstream"

// Leaves may be imported by every package.
var Leaves = []string{"parser/diag", "exec/types", "exec/invariant", "exec/mutant", "exec/clock", "storage/vfs"}

// Rule says what the packages under a path may import besides leaves and their own
// subtree. The longest matching Path counts.
type Rule struct {
	Path string
	May  []string // path prefixes within the module
}

// Rules is the policy.
var Rules = []Rule{
	{"parser/diag", nil},
	{"parser/ast", nil},
	{"parser", nil},
	{"exec/types", nil},
	{"exec/invariant", nil},
	{"exec/mutant", nil},
	{"exec/clock", nil},
	{"exec/option", nil},
	{"exec/vec", nil},
	{"exec/hash", []string{"exec/vec"}},
	{"exec/fn", []string{"exec/vec", "exec/hash"}},
	{"exec/expr", []string{"exec/fn", "exec/vec"}},
	{"exec/op", []string{"exec/expr", "exec/fn", "exec/vec"}},
	{"exec/format", []string{"exec/option", "exec/vec"}},
	{"exec/source", []string{"exec/format", "exec/option", "exec/vec"}},
	{"exec/sink", []string{"exec/format", "exec/option", "exec/vec"}},
	{"exec/connect", []string{"exec/source", "exec/sink", "exec/format", "exec/option", "exec/vec"}},
	{"exec/builtin", []string{"exec"}},
	{"planner", []string{"parser", "exec/expr", "exec/fn", "exec/vec", "exec/source", "exec/sink", "exec/format", "exec/option"}},
	{"storage/vfs", nil},
	{"storage", nil},
	{"incremental/stateful", []string{"exec/expr", "exec/fn", "exec/hash", "exec/op", "exec/vec"}},
	{"incremental/reference", []string{"planner", "exec"}},
	{"incremental/build", []string{"incremental/stateful", "planner", "exec"}},
	{"incremental/trigger", []string{"incremental/build", "incremental/stateful", "planner", "storage", "exec"}},
	{"incremental", []string{"planner", "parser", "exec", "storage"}},
	{"repl", []string{"incremental", "parser", "exec/types", "exec/vec", "exec/format/table"}},
	{"cmd", []string{"repl", "incremental", "parser"}},
	{"tests", []string{"cmd", "repl", "incremental", "planner", "parser", "exec", "storage"}},
	{"docs", nil},
}

// Parts are what connectors have in common: each of them may import these, besides the
// contracts.
var Parts = []string{"exec/sink/staged", "exec/sink/marker", "exec/source/inbox", "exec/source/pace"}

func isPart(pkg string) bool { return slices.Contains(Parts, pkg) }

// Sole names third-party modules that one package alone may import.
var Sole = map[string]string{
	"github.com/pingcap/tidb/pkg/parser": "parser",
	"golang.org/x/text":                  "exec/fn/scalar",
	"github.com/parquet-go/parquet-go":   "exec/format/parquet",
	"github.com/bufbuild/protocompile":   "exec/format/protobuf",
	"github.com/twmb/avro":               "exec/format/avro",
	"github.com/twmb/franz-go/pkg/sr":    "exec/format/registry",
	"github.com/chzyer/readline":         "repl",
	"github.com/spf13/cobra":             "cmd/sqlstream",
	"github.com/bmatcuk/doublestar":      "exec/source/file",
	"github.com/gofrs/flock":             "storage/vfs",
	"github.com/minio/minio-go/v7":       "storage/vfs/s3",
	"github.com/jackc/pgx/v5":            "exec/connect/postgres",
	"github.com/jackc/pglogrepl":         "exec/connect/postgres",
	"github.com/twmb/franz-go/pkg/kgo":   "exec/connect/kafka",
	"github.com/twmb/franz-go/pkg/kmsg":  "exec/connect/kafka",
	"github.com/go-sql-driver/mysql":     "exec/connect/mysql",
	"github.com/gomodule/redigo":         "exec/connect/redis",
	"github.com/alicebob/miniredis":      "exec/connect/redis",
}

// Edge is an import of one package of the module, or of a third-party package.
type Edge struct {
	From, To string // From and, inside the module, To are relative to the module
	File     string
	Line     int
	Test     bool
}

// Edges reads the imports of every Go file below root.
func Edges(root string) ([]Edge, error) {
	var out []Edge
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata" || nestedModule(root, path)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		es, err := fileEdges(root, path)
		out = append(out, es...)
		return err
	})
	return out, err
}

func nestedModule(root, dir string) bool {
	if dir == root {
		return false
	}
	m, _ := filepath.Glob(filepath.Join(dir, "go.mod"))
	return len(m) > 0
}

func fileEdges(root, path string) ([]Edge, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	from := filepath.ToSlash(filepath.Dir(rel))
	var out []Edge
	for _, im := range f.Imports {
		to, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			return nil, err
		}
		to = strings.TrimPrefix(to, Module+"/")
		out = append(out, Edge{from, to, filepath.ToSlash(rel), fset.Position(im.Pos()).Line, strings.HasSuffix(path, "_test.go")})
	}
	return out, nil
}

// Allowed says whether the rules permit an edge within the module.
func Allowed(e Edge) bool {
	if under(e.To, e.From) || slices.ContainsFunc(Leaves, func(l string) bool { return under(e.To, l) }) {
		return true
	}
	r, ok := ruleFor(e.From)
	if !ok {
		return false
	}
	if under(e.To, r.Path) && !siblings(e.From, e.To, r.Path) {
		return true
	}
	return slices.ContainsFunc(r.May, func(p string) bool { return under(e.To, p) }) && !concrete(e)
}

// siblings reports two different connectors, formats or function families below one
// contract: they do not know each other.
func siblings(from, to, path string) bool {
	switch path {
	case "exec/source", "exec/sink", "exec/connect":
		return !isPart(to) && from != path && to != path && !under(to, from)
	}
	return false
}

// concrete reports an import of a concrete connector past its contract: only
// exec/builtin and the tests may do that.
func concrete(e Edge) bool {
	if under(e.From, "exec/builtin") || under(e.From, "tests") || under(e.From, "incremental/engine") {
		return false
	}
	if e.From == "planner/lower" && e.To == "exec/fn/agg" { // min, of intervals that are equal
		return false
	}
	if under(e.From, "incremental/stateful") && e.To == "exec/fn/agg" { // DISTINCT and ORDER BY wrap any aggregate
		return false
	}
	for _, c := range []string{"exec/source/", "exec/sink/", "exec/connect/", "exec/fn/scalar", "exec/fn/agg"} {
		if strings.HasPrefix(e.To, c) && !isPart(e.To) && !under(e.From, strings.TrimSuffix(c, "/")) {
			return true
		}
	}
	return false
}

// MayImport lists what a package may import besides leaves and its own subtree; false if
// no rule speaks of it.
func MayImport(pkg string) ([]string, bool) {
	r, ok := ruleFor(pkg)
	return r.May, ok
}

func ruleFor(pkg string) (Rule, bool) {
	best, found := Rule{}, false
	for _, r := range Rules {
		if under(pkg, r.Path) && (!found || len(r.Path) > len(best.Path)) {
			best, found = r, true
		}
	}
	return best, found
}

func under(pkg, prefix string) bool { return pkg == prefix || strings.HasPrefix(pkg, prefix+"/") }
