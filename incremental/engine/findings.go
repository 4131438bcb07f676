package engine

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// findings are the errors of a script that is planned and not run. What a statement that
// could not be read or planned would have declared is missing afterwards: that its name is
// unknown then is no further error.
type findings struct {
	src     diag.Source
	missing map[string]bool // names, folded
	diags   []*diag.Diagnostic
	others  []error
}

func newFindings(src diag.Source) *findings { return &findings{src: src, missing: map[string]bool{}} }

// declared finds the name that the text of a CREATE statement declares.
var declared = regexp.MustCompile(`(?is)^CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+)*?(?:SOURCE|STREAM|TABLE|VIEW|SINK|FUNCTION|MACRO)\s+(?:IF\s+NOT\s+EXISTS\s+)?([^\s(;]+)`)

func (f *findings) undeclare(text string) {
	if m := declared.FindStringSubmatch(text); m != nil {
		f.missing[foldedName(m[1])] = true
	}
}

func (f *findings) undeclared(s ast.Statement) { f.undeclare(text(f.src, s.Pos())) }

// foldedName is a name as it stands in a text, without quotes and case.
func foldedName(s string) string {
	return strings.ToLower(strings.NewReplacer("\"", "", "`", "").Replace(s))
}

// unread notes the errors of reading the script; stmts are those that could be read.
func (f *findings) unread(err error, stmts []ast.Statement) {
	if err == nil {
		return
	}
	f.note(diag.Showing(f.src, err))
	read := map[int]bool{}
	for _, s := range stmts {
		read[s.Pos().Start] = true
	}
	for _, s := range parser.Split(f.src.Text) {
		if !read[s.Start] {
			f.undeclare(f.src.Slice(s.Span))
		}
	}
}

// add notes the errors of one statement.
func (f *findings) add(err error, s ast.Statement) {
	if err == nil {
		return
	}
	f.note(err)
	f.undeclared(s)
}

func (f *findings) note(err error) {
	var d *diag.Error
	if !errors.As(diag.InSource(f.src, err), &d) {
		f.others = append(f.others, err)
		return
	}
	for _, x := range d.Diagnostics {
		unknown := x.Code == diag.UnknownTable || x.Code == diag.UnknownFunction
		if !unknown || !f.missing[foldedName(f.src.Slice(x.Span))] {
			f.diags = append(f.diags, x)
		}
	}
}

// err is everything that was found, in the order of the text.
func (f *findings) err() error {
	if len(f.diags) == 0 {
		return errors.Join(f.others...)
	}
	slices.SortStableFunc(f.diags, func(a, b *diag.Diagnostic) int { return a.Span.Start - b.Span.Start })
	if len(f.others) == 0 {
		return diag.NewError(&f.src, f.diags...)
	}
	return errors.Join(append([]error{diag.NewError(&f.src, f.diags...)}, f.others...)...)
}
