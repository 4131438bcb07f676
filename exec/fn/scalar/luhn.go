package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func checkDigits() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "luhn_check", Group: "Text", Syntax: []string{"luhn_check(digits)"},
		Doc:      "Is true where a text is all digits and its last one is the check digit of the Luhn algorithm, as in card numbers.",
		Examples: []fn.Example{{SQL: "luhn_check('79927398713')", Want: "true"}, {SQL: "luhn_check('79927398714')", Want: "false"}, {SQL: "luhn_check(NULL)", Want: "NULL"}},
		Resolve:  fixed(boolean, bools(func(args []*vec.Vector, r int) bool { return luhn(args[0].Bytes(r)) }), text),
	}}
}

// luhn checks the last digit: from the right, every second digit counts twice, by the
// sum of its own digits.
func luhn(s []byte) bool {
	sum := 0
	for i := range s {
		c := s[len(s)-1-i]
		if c < '0' || c > '9' {
			return false
		}
		d := int(c - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return len(s) > 0 && sum%10 == 0
}
