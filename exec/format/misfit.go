package format

import (
	"errors"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// Misfit marks an error of NewReader, NewWriter or of columns that a schema does not have:
// what was written in SQL is wrong, not the service out of reach. nil stays nil.
func Misfit(err error) error {
	var known *diag.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return diag.NewError(nil, diag.Errorf(diag.WrongColumns, diag.Span{}, "%v", err))
}
