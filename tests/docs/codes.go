package docs

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Root is the repository, from this directory.
const Root = "../.."

// Code is an error code as parser/diag documents it.
type Code struct {
	Code    diag.Code
	Text    string // what is wrong
	Example string // a text that yields it; "" = none
	Without string // why it has no example
}

// Codes reads the documented codes of parser/diag, by number. setup are the objects that
// the examples use.
func Codes() (list []Code, setup string, err error) {
	files, err := filepath.Glob(Root + "/parser/diag/codes*.go")
	if err != nil {
		return nil, "", err
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, "", err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			if g.Doc != nil && strings.Contains(g.Doc.Text(), "CREATE ") {
				setup += statements(g.Doc.Text())
			}
			list = append(list, codesOf(g)...)
		}
	}
	slices.SortFunc(list, func(a, b Code) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return list, setup, nil
}

// statements are the indented lines of a comment.
func statements(doc string) string {
	var out strings.Builder
	for line := range strings.Lines(doc) {
		if strings.HasPrefix(line, "\t") {
			out.WriteString(strings.TrimSpace(line) + "\n")
		}
	}
	return out.String()
}

func codesOf(g *ast.GenDecl) []Code {
	var out []Code
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			continue
		}
		lit, ok := v.Values[0].(*ast.BasicLit)
		if !ok {
			continue
		}
		value, err := strconv.Unquote(lit.Value)
		if err != nil || !strings.HasPrefix(value, "SQL") {
			continue
		}
		c := Code{Code: diag.Code(value)}
		text, example, _ := strings.Cut(v.Doc.Text(), "Example: ")
		text, without, _ := strings.Cut(text, "No example: ")
		c.Without = strings.TrimSpace(without)
		c.Text = strings.Join(strings.Fields(strings.TrimPrefix(text, value+": ")), " ")
		c.Example = strings.Join(strings.Fields(example), " ")
		out = append(out, c)
	}
	return out
}

// Yields runs the example of a code over the objects of setup, and returns its error.
func (c Code) Yields(setup string) error {
	dir, err := os.MkdirTemp("", "codes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := open(dir, io.Discard)
	if err != nil {
		return err
	}
	defer e.Kill()
	ctx := context.Background()
	if err := e.Exec(ctx, diag.Source{Text: setup}, func(*engine.Result) error { return nil }); err != nil {
		return err
	}
	src := diag.Source{Text: c.Example}
	return diag.InSource(src, e.Exec(ctx, src, func(r *engine.Result) error {
		if r.Rows == nil {
			return nil
		}
		_, err := Run(ctx, e, c.Example)
		return err
	}))
}

// Has reports whether an error has a diagnostic of the code.
func (c Code) Has(err error) bool {
	var list *diag.Error
	return errors.As(err, &list) && slices.ContainsFunc(list.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == c.Code })
}

// sections are the headings of the page, by the first digits of a code.
func sections() [][2]string {
	return [][2]string{
		{"SQL1", "Lexical and syntax errors"},
		{"SQL2", "Names, types, binding"},
		{"SQL30", "Plans that are refused"},
		{"SQL31", "Not yet"},
		{"SQL40", "Options"},
		{"SQL41", "Queries, objects, settings"},
	}
}

func errorCodes(w *page, _ *builtin.Registry) error {
	list, setup, err := Codes()
	if err != nil {
		return err
	}
	w.line("Codes are stable: none is used for anything else later. `sqlstream check FILE` shows all errors of a script at once. The examples were run over these objects:")
	w.line("")
	w.line("```text")
	w.line("%s", strings.TrimRight(setup, "\n"))
	w.line("```")
	for _, s := range sections() {
		w.line("")
		w.line("## %s", s[1])
		for _, c := range list {
			if strings.HasPrefix(string(c.Code), s[0]) {
				w.errorCode(c, setup)
			}
		}
	}
	return nil
}

func (w *page) errorCode(c Code, setup string) {
	w.line("")
	w.line("### %s", c.Code)
	w.line("")
	w.line("%s", capital(c.Text))
	if c.Example == "" {
		return
	}
	w.line("")
	w.line("```text")
	if err := c.Yields(setup); err != nil {
		w.line("%s", strings.TrimRight(err.Error(), "\n"))
	}
	w.line("```")
}

// capital begins a sentence, unless it begins with the name of a function.
func capital(s string) string {
	if first, _, _ := strings.Cut(s, " "); strings.Contains(first, "_") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
