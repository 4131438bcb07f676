package agg

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// The texts of these errors follow the function's name.

func argTypes(args []fn.Arg) []types.Type {
	ts := make([]types.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type
	}
	return ts
}

func wantArgs(args []fn.Arg, least, most int) error {
	switch {
	case len(args) >= least && len(args) <= most:
		return nil
	case least == most && least == 1:
		return fmt.Errorf("needs 1 argument, got %d", len(args))
	case least == most:
		return fmt.Errorf("needs %d arguments, got %d", least, len(args))
	}
	return fmt.Errorf("needs %d to %d arguments, got %d", least, most, len(args))
}

// wantOrder refuses an argument whose values have no order.
func wantOrder(args []fn.Arg, i int) error {
	if t := args[i].Type; !t.Ordered() {
		return fmt.Errorf("cannot order values of %s: a MAP and JSON have no order", t)
	}
	return nil
}

func wantBool(t types.Type) error {
	if t.Kind == types.Bool || t.Kind == types.Null {
		return nil
	}
	return fmt.Errorf("needs a BOOLEAN, got %s", t)
}

func wantNumber(t types.Type, pos int) error {
	if t.IsNumeric() || t.Kind == types.Null {
		return nil
	}
	return &fn.Mismatch{Arg: pos - 1, Want: "number", Got: t.String()}
}

func wantInteger(t types.Type) error {
	if t.IsInteger() || t.Kind == types.Null {
		return nil
	}
	return fmt.Errorf("needs an integer, got %s", t)
}

// known replaces the type of a bare NULL.
func known(t, instead types.Type) types.Type {
	if t.Kind == types.Null {
		return instead
	}
	return t
}

var (
	bigint  = types.Of(types.Int64)
	double  = types.Of(types.Float64)
	boolean = types.Of(types.Bool)
	text    = types.Of(types.String)
)

// constNumber is the value of a constant numeric argument.
func constNumber(arg fn.Arg, pos int) (float64, error) {
	c := arg.Const
	if c == nil || c.IsNull(0) || !c.Type.IsNumeric() {
		return 0, fmt.Errorf("needs a constant number as argument %d", pos)
	}
	f, i := c.At(0)
	switch c.Type.Phys() {
	case types.PhysFloat64:
		return f.F64[i], nil
	case types.PhysInt128:
		return f.I128[i].Float64() / types.Pow10(int(c.Type.Scale)).Float64(), nil
	}
	return float64(f.I64[i]) / types.Pow10(int(c.Type.Scale)).Float64(), nil
}
