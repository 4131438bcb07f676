package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// This file has the operators + − * / % and their types; the kernels are in
// arith_int.go, arith_float.go, arith_decimal.go and arith_time.go.

type arithOp uint8

const (
	opAdd arithOp = iota
	opSub
	opMul
	opDiv
	opMod
	opIntDiv
)

var arithNames = [...]string{"+", "-", "*", "/", "%", "div"}

func (o arithOp) String() string { return arithNames[o] }

func arithmetic() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "+", Aliases: []string{"add"}, Group: "Operators", Infinity: fn.FailInfinity, Syntax: []string{"a + b", "time + interval", "date + days"},
			Doc:      "Adds numbers, or moves a date or timestamp. Integers that overflow are an error.",
			Examples: []fn.Example{{SQL: "1 + 2", Want: "3"}, {SQL: "1.50 + 2.5", Want: "4.00"}, {SQL: "DATE '2024-01-31' + INTERVAL '1' MONTH", Want: "2024-02-29"}, {SQL: "1 + NULL", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveArith(opAdd, args) },
		},
		{
			Name: "-", Aliases: []string{"subtract"}, Group: "Operators", Infinity: fn.FailInfinity, Syntax: []string{"a - b", "-a", "time - interval", "time - time"},
			Doc:      "Subtracts or negates. The difference of two timestamps is an INTERVAL.",
			Examples: []fn.Example{{SQL: "1 - 3", Want: "-2"}, {SQL: "TIMESTAMP '2024-01-02 00:00:00' - TIMESTAMP '2024-01-01 23:00:00'", Want: "01:00:00"}, {SQL: "NULL - 1", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveArith(opSub, args) },
		},
		{
			Name: "*", Aliases: []string{"multiply"}, Group: "Operators", Syntax: []string{"a * b", "interval * n"},
			Doc:      "Multiplies. The product of two DECIMALs has the digits of both.",
			Examples: []fn.Example{{SQL: "6 * 7", Want: "42"}, {SQL: "0.908 * 100", Want: "90.800"}, {SQL: "INTERVAL '999 months' * 8.2 = INTERVAL '8191 months 24 days'", Want: "true"}, {SQL: "2 * NULL", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveArith(opMul, args) },
		},
		{
			Name: "/", Group: "Operators", Syntax: []string{"a / b"},
			Doc:      "Divides. Integers give a DOUBLE; DECIMALs are rounded half away from zero. Division by zero is an error.",
			Examples: []fn.Example{{SQL: "7 / 2", Want: "3.5"}, {SQL: "1.0 / 3.0", Want: "0.333333"}, {SQL: "NULL / 2", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveArith(opDiv, args) },
		},
		{
			Name: "%", Aliases: []string{"mod"}, Group: "Operators", Syntax: []string{"a % b", "mod(a, b)"},
			Doc:      "Is the remainder of the division, with the sign of the left side.",
			Examples: []fn.Example{{SQL: "7 % 3", Want: "1"}, {SQL: "-7 % 3", Want: "-1"}, {SQL: "mod(7, NULL)", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveArith(opMod, args) },
		},
		{
			Name: "div", Aliases: []string{"//"}, Group: "Operators", Syntax: []string{"a DIV b", "a // b"},
			Doc:      "Divides toward zero and gives a BIGINT.",
			Examples: []fn.Example{{SQL: "7 div 2", Want: "3"}, {SQL: "-7 div 2", Want: "-3"}, {SQL: "7 div NULL", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveArith(opIntDiv, args) },
		},
		{
			Name: "pmod", Group: "Numeric", Syntax: []string{"pmod(a, b)"},
			Doc:      "Is the remainder that is not negative, for a positive b; for a negative one it has the sign of a.",
			Examples: []fn.Example{{SQL: "pmod(-7, 3)", Want: "2"}, {SQL: "pmod(NULL, 3)", Want: "NULL"}},
			Resolve:  resolvePmod,
		},
		tryArith("try_add", opAdd, "Adds; NULL where that overflows.", "try_add(2147483647, 1)"),
		tryArith("try_subtract", opSub, "Subtracts; NULL where that overflows.", "try_subtract(CAST(-2147483648 AS INT), 1)"),
		tryArith("try_multiply", opMul, "Multiplies; NULL where that overflows.", "try_multiply(2147483647, 2)"),
		tryArith("try_divide", opDiv, "Divides; NULL where the divisor is zero.", "try_divide(1, 0)"),
		tryArith("try_mod", opMod, "Is the remainder; NULL where the divisor is zero.", "try_mod(1, 0)"),
	}
}

func tryArith(name string, op arithOp, doc, example string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Numeric", Syntax: []string{name + "(a, b)"}, Doc: doc, Infinity: fn.KeepInfinity,
		Examples: []fn.Example{{SQL: example, Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			impl, err := resolveArith(op, args)
			impl.Eval = lenient(impl.Eval)
			return impl, err
		},
	}
}

// resolveArith finds the kernel of an operator.
func resolveArith(op arithOp, args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 && (op == opSub || op == opAdd) {
		return resolveSign(op, args)
	}
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	a, b := args[0].Type, args[1].Type
	if isTemporal(a) || isTemporal(b) {
		if i := movingText(op, args); i >= 0 {
			return fn.Impl{}, mismatch(args, i, "INTERVAL")
		}
		impl, err := resolveTimeArith(op, withHours(args, 0, 1), withHours(args, 1, 0))
		impl.Monotone, impl.MonotoneFixed = shiftMonotone(impl, args)
		return impl, err
	}
	a, b, err := numbers(args)
	if err != nil {
		return fn.Impl{}, err
	}
	impl, err := numberArith(op, a, b, args)
	impl.Monotone = arithMonotone(op, args)
	return impl, err
}

func isTemporal(t types.Type) bool { return t.Kind >= types.Date && t.Kind <= types.Time }

// movingText finds a text that is no constant where a time is moved: '1 day' is an
// interval, a column of texts would only tell row by row. −1 = there is none.
func movingText(op arithOp, args []fn.Arg) int {
	for i, x := range args {
		if op == opAdd && x.Type.Kind == types.String && x.Const == nil && isTemporal(args[1-i].Type) && args[1-i].Type.Kind != types.Interval {
			return i
		}
	}
	return -1
}

// withHours is the type of argument i: TIMESTAMP for a DATE that a constant interval
// with hours moves, as in Spark.
func withHours(args []fn.Arg, i, by int) types.Type {
	iv := args[by].Const
	if args[i].Type.Kind != types.Date || iv == nil || iv.Type.Kind != types.Interval || iv.IsNull(0) {
		return args[i].Type
	}
	if iv.Iv[0].Micros%types.MicrosPerDay == 0 {
		return date
	}
	return timestamp
}

// numbers gives the numeric types in which two arguments take part: text becomes
// BIGINT beside an integer and DOUBLE beside anything else, NULL follows the other. Two
// texts are no numbers.
func numbers(args []fn.Arg) (a, b types.Type, err error) {
	a, b = args[0].Type, args[1].Type
	for i, t := range []types.Type{a, b} {
		if !t.IsNumeric() && t.Kind != types.String && t.Kind != types.Null {
			return a, b, mismatch(args, i, "number")
		}
	}
	if a.Kind == types.String && b.Kind == types.String {
		return a, b, mismatch(args, 0, "number")
	}
	return numberBeside(a, b), numberBeside(b, a), nil
}

func numberBeside(t, other types.Type) types.Type {
	switch {
	case t.IsNumeric():
		return t
	case t.Kind == types.String && other.IsInteger():
		return bigint
	case t.Kind == types.Null && other.IsNumeric():
		return other
	}
	return double
}

// numberArith chooses floating, decimal or integer arithmetic.
func numberArith(op arithOp, a, b types.Type, args []fn.Arg) (fn.Impl, error) {
	switch {
	case a.IsFloat() || b.IsFloat():
		return floatArith(op, a, b), nil
	case a.Kind == types.Decimal || b.Kind == types.Decimal:
		return decimalArith(op, a, b, digitsOf(a, args[0]), digitsOf(b, args[1])), nil
	case op == opDiv:
		return floatArith(op, double, double), nil
	}
	return intArith(op, types.Of(max(a.Kind, b.Kind))), nil
}

// arithMonotone tells in which arguments an operator never decreases.
func arithMonotone(op arithOp, args []fn.Arg) []int {
	switch op {
	case opAdd:
		return []int{0, 1}
	case opSub:
		return []int{0}
	case opMul:
		return append(positiveSide(args, 1, 0), positiveSide(args, 0, 1)...)
	case opDiv, opIntDiv:
		return positiveSide(args, 1, 0)
	}
	return nil
}

// positiveSide returns arg if argument factor is a positive constant.
func positiveSide(args []fn.Arg, factor, arg int) []int {
	v := args[factor].Const
	if v == nil || v.IsNull(0) {
		return nil
	}
	positive := false
	switch v.Type.Phys() {
	case types.PhysInt64:
		positive = v.Int(0) > 0
	case types.PhysFloat64:
		positive = v.Float(0) > 0
	case types.PhysInt128:
		positive = v.I128[0].Sign() > 0
	}
	if positive {
		return []int{arg}
	}
	return nil
}

// resolveSign is unary minus and plus.
func resolveSign(op arithOp, args []fn.Arg) (fn.Impl, error) {
	t := args[0].Type
	switch {
	case t.Kind == types.Null || t.Kind == types.String:
		t = double
	case !t.IsNumeric() && t.Kind != types.Interval:
		return fn.Impl{}, mismatch(args, 0, "number")
	}
	impl := fn.Impl{Args: []types.Type{t}, Result: t, Eval: first, Total: true}
	if op == opSub {
		impl.Eval, impl.Total = negate(t), t.IsFloat()
	}
	return impl, nil
}

func resolvePmod(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	a, b, err := numbers(args)
	if err != nil {
		return fn.Impl{}, err
	}
	impl, err := numberArith(opMod, a, b, args)
	impl.Eval = positiveMod(impl.Eval)
	return impl, err
}

// unsupported says that an operator does not exist for two types.
func unsupported(op arithOp, a, b types.Type) error {
	return fmt.Errorf("does not work on %s and %s", a, b)
}
