package ast

// UnaryOp is an operator with one operand.
type UnaryOp uint8

// The unary operators.
const (
	Not UnaryOp = iota
	Neg
	Plus
	BitNot
)

// String is the operator as written.
func (op UnaryOp) String() string { return [...]string{"NOT", "-", "+", "~"}[op] }

// Op is an operator with two operands.
type Op uint8

// The binary operators. IntDiv is DIV and //; NotDistinct is IS NOT DISTINCT
// FROM and <=>; Eq is = and ==. Shares is && of arrays. JSONGet to JSONPathText are -> ->> #> #>>.
const (
	Or Op = iota
	And
	Eq
	NotEq
	Less
	LessEq
	Greater
	GreaterEq
	Distinct
	NotDistinct
	Overlaps
	Concat
	Shares
	Contains
	ContainedIn
	BitOr
	BitAnd
	ShiftLeft
	ShiftRight
	Add
	Sub
	Mul
	Div
	IntDiv
	Mod
	JSONGet
	JSONText
	JSONPath
	JSONPathText
)

// String is the operator as the printer writes it.
func (op Op) String() string {
	return [...]string{"OR", "AND", "=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM",
		"OVERLAPS", "||", "&&", "@>", "<@", "|", "&", "<<", ">>", "+", "-", "*", "/", "DIV", "%", "->", "->>", "#>", "#>>"}[op]
}

// String is the operator as the printer writes it.
func (op LikeOp) String() string {
	return [...]string{"LIKE", "ILIKE", "SIMILAR TO", "RLIKE", "~*"}[op]
}

// String is the unit in upper case, singular.
func (u Unit) String() string {
	return [...]string{"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "DECADE", "CENTURY", "MILLENNIUM"}[u]
}

// Months, days and microseconds of one unit; exactly one of them is not zero.
func (u Unit) Amount() (months, days, micros int64) {
	switch u {
	case Microsecond:
		return 0, 0, 1
	case Millisecond:
		return 0, 0, 1_000
	case Second:
		return 0, 0, 1_000_000
	case Minute:
		return 0, 0, 60_000_000
	case Hour:
		return 0, 0, 3_600_000_000
	case Day:
		return 0, 1, 0
	case Week:
		return 0, 7, 0
	case Month:
		return 1, 0, 0
	case Quarter:
		return 3, 0, 0
	case Decade:
		return 120, 0, 0
	case Century:
		return 1200, 0, 0
	case Millennium:
		return 12000, 0, 0
	}
	return 12, 0, 0
}
