package fn

import "strings"

// Param is one parameter of a form of a function, as its Syntax writes it.
type Param struct {
	Name   string // "" where the form gives no name: a lambda, a constant, "..."
	Lambda bool   // x -> f(x): a lambda of one parameter without parentheses
}

// Params reads the parameters of one form of a Syntax: of "substring(text, start [, length])"
// text, start and length. What follows the closing parenthesis does not matter.
func Params(form string) []Param {
	_, list, _ := strings.Cut(strings.NewReplacer("[", "", "]", "").Replace(form), "(")
	var out []Param
	depth, from := 0, 0
	for i := 0; i < len(list) && depth >= 0; i++ {
		switch list[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 || depth == 0 && list[i] == ',' {
			out, from = append(out, param(strings.TrimSpace(list[from:i]))), i+1
		}
	}
	if len(out) == 1 && out[0] == (Param{}) && strings.HasPrefix(list, ")") {
		return nil
	}
	return out
}

func param(text string) Param {
	if x, _, ok := strings.Cut(text, " -> "); ok {
		return Param{Lambda: isName(x)}
	}
	if !isName(text) {
		return Param{}
	}
	return Param{Name: text}
}

func isName(text string) bool {
	return strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz_0123456789") == ""
}
