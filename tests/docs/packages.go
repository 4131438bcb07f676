package docs

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/tests/arch"
)

// The lines around the table of packages in docs/architecture.md.
const (
	packagesFrom = "<!-- packages: generated from tests/arch and the package comments; go test ./tests/docs -update -->"
	packagesTo   = "<!-- end of packages -->"
)

// WithPackages puts the table of packages between its two lines.
func WithPackages(text string) (string, error) {
	before, rest, ok := strings.Cut(text, packagesFrom+"\n")
	_, after, closed := strings.Cut(rest, packagesTo)
	if !ok || !closed {
		return "", fmt.Errorf("the lines around the table are missing: %s and %s", packagesFrom, packagesTo)
	}
	table, err := packages()
	if err != nil {
		return "", err
	}
	return before + packagesFrom + "\n" + table + packagesTo + after, nil
}

// packages is the table: every package of the product, what it owns, and what the rules
// of tests/arch let it import.
func packages() (string, error) {
	dirs, err := packageDirs()
	if err != nil {
		return "", err
	}
	w := &page{}
	w.line("")
	w.line("Every package may also import the leaves: %s.", codes(arch.Leaves))
	w.line("")
	w.line("| package | owns | may import |")
	w.line("|---|---|---|")
	for _, dir := range dirs {
		may, ok := arch.MayImport(dir)
		if !ok {
			return "", fmt.Errorf("no rule of tests/arch speaks of %s", dir)
		}
		about, err := synopsis(dir)
		if err != nil {
			return "", err
		}
		w.line("| `%s` | %s | %s |", dir, cell(about), codes(may))
	}
	w.line("")
	return w.String(), nil
}

// packageDirs lists the directories with Go code of the product, tests left out.
func packageDirs() ([]string, error) {
	var out []string
	err := filepath.WalkDir(Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel := strings.TrimPrefix(filepath.ToSlash(path), Root+"/")
		if strings.HasPrefix(d.Name(), ".") && path != Root || rel == "tests" || rel == "docs" {
			return filepath.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if slices.ContainsFunc(files, func(f string) bool { return !strings.HasSuffix(f, "_test.go") }) {
			out = append(out, rel)
		}
		return err
	})
	slices.Sort(out)
	return out, err
}

// synopsis is the first sentence of a package's comment, without "Package x".
func synopsis(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(Root, dir, "*.go"))
	if err != nil {
		return "", err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		if s := sentence(f); s != "" {
			return s, nil
		}
	}
	return "", fmt.Errorf("%s has no package comment", dir)
}

func sentence(f *ast.File) string {
	if f.Doc == nil {
		return ""
	}
	s := new(doc.Package).Synopsis(f.Doc.Text())
	for _, lead := range []string{"Package " + f.Name.Name + " ", "Command sqlstream "} {
		s = strings.TrimPrefix(s, lead)
	}
	s, _, _ = strings.Cut(s, ": ")
	s = strings.TrimRight(s, ".:")
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
