package engine

import (
	"errors"
	"slices"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// findings are the errors of a script that is planned and not run. Once a statement
// could not be read or declared, names may be missing because of that, so further
// unknown objects are not reported.
type findings struct {
	src    diag.Source
	broken bool // an object may be missing
	diags  []*diag.Diagnostic
	others []error
}

// add notes the errors of reading the script, or of one statement, which declares an
// object or not.
func (f *findings) add(err error, declares bool) {
	if err == nil {
		return
	}
	missing := f.broken
	f.broken = f.broken || declares
	var d *diag.Error
	if !errors.As(diag.InSource(f.src, err), &d) {
		f.others = append(f.others, err)
		return
	}
	for _, x := range d.Diagnostics {
		if !missing || x.Code != diag.UnknownTable {
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

func declares(s ast.Statement) bool {
	switch s.(type) {
	case *ast.CreateSource, *ast.CreateTable, *ast.CreateView, *ast.CreateMaterializedView, *ast.CreateSink:
		return true
	}
	return false
}
