package repl

import (
	"errors"
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// An error of SQL that was found below the statement has the shape of one found in it.
func TestHeadline(t *testing.T) {
	d := diag.Errorf(diag.MissingOption, diag.Span{}, "no format")
	hinted := diag.Errorf(diag.MissingOption, diag.Span{}, "no format").WithHint("format = 'json'")
	for want, err := range map[string]error{
		"error: disk full":                                            errors.New("disk full"),
		`error SQL4004: sink "o": no format`:                          fmt.Errorf("sink %q: %w", "o", diag.NewError(nil, d)),
		"error SQL4004: sink \"o\": no format\nhint: format = 'json'": fmt.Errorf("sink %q: %w", "o", diag.NewError(nil, hinted)),
		"error: sink: error SQL4004: no format; and that is not all":  fmt.Errorf("sink: %w; and that is not all", d),
	} {
		if got := headline(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
