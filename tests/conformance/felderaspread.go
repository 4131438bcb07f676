package conformance

import "strings"

// spread is a variance, covariance or average: of integers it is computed in integers, from the sums
// of the values and their products.
func spread(c call) string {
	if len(c.args) > 2 || len(c.args) == 0 {
		return ""
	}
	distinct, y := "", c.args[0]
	if w := strings.Fields(y); strings.EqualFold(w[0], "distinct") {
		distinct, y = "DISTINCT ", strings.TrimSpace(y[len("distinct"):])
	}
	x := y
	if len(c.args) == 2 {
		x = c.args[1]
	}
	agg := func(name, arg string) string { return name + "(" + distinct + arg + ")" + c.tail }
	both := func(a string) string {
		if len(c.args) == 1 {
			return "feldera_big(" + a + ")"
		}
		return "CASE WHEN (" + y + ") IS NOT NULL AND (" + x + ") IS NOT NULL THEN feldera_big(" + a + ") END"
	}
	name := strings.ToLower(c.name)
	a, b := y, x
	switch name {
	case "regr_sxx":
		a = x
	case "regr_syy":
		b = y
	}
	n := agg("count", both(a))
	exact := "(" + agg("sum", both(a)+" * "+both(b)) + " - " + agg("sum", both(a)) + " * " + agg("sum", both(b)) + " / nullif(" + n + ", 0))"
	less := ""
	if name == "stddev" || name == "variance" || strings.HasSuffix(name, "samp") {
		less = " - 1"
	}
	sums := exact
	exact = "(" + exact + " / nullif(" + n + less + ", 0))"
	switch {
	case name == "avg":
		exact = "(" + agg("sum", both(a)) + " / nullif(" + n + ", 0))"
	case strings.HasPrefix(name, "stddev"):
		exact = "CAST(floor(sqrt(" + exact + ")) AS BIGINT)"
	case strings.HasPrefix(name, "regr") && c.tail == "":
		exact = sums
	case strings.HasPrefix(name, "regr"):
		exact = "(" + n + " * " + exact + ")"
	}
	witness := agg("min", y)
	if x != y {
		witness += ", " + agg("min", x)
	}
	return "feldera_spread(" + witness + ", " + exact + ", " + c.text() + ")"
}
