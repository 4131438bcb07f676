package conformance

import (
	"regexp"
	"strings"
)

var (
	// unitsOf is INTERVAL 'value' UNIT [TO UNIT], or the end of CAST(… AS INTERVAL UNIT).
	intervalLiteral = regexp.MustCompile(`(?is)^INTERVAL\s+(?:'[^']*'|[+-]?[\d.]+)\s+(\w+(?:\s+TO\s+\w+)?)$`)
	intervalType    = regexp.MustCompile(`(?i)^INTERVAL\s+(\w+(?:\s+TO\s+\w+)?)$`)
	intervalMarked  = regexp.MustCompile(`(?is)^feldera_units\(.*'([\w ]+)'\)$`)
	sized           = regexp.MustCompile(`(?i)^(char|character|varchar|binary|varbinary|decimal|numeric)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)$`)
	wholeNumber     = regexp.MustCompile(`^[+-]?\d+$`)
)

// units are those of an expression that names them, "" if it does not.
func units(x string) string {
	for _, re := range []*regexp.Regexp{intervalLiteral, intervalMarked} {
		if m := re.FindStringSubmatch(strings.TrimSpace(x)); m != nil {
			return canonicalUnits(m[1])
		}
	}
	return ""
}

func canonicalUnits(s string) string {
	words := strings.Fields(strings.ToLower(s))
	for i, w := range words {
		if w != "to" {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return strings.Join(words, " ")
}

// converted is CAST: to CHAR(n) and BINARY(n) it cuts off and pads, to DECIMAL it cuts off,
// an interval has units, a number is a time in ms.
func converted(c call) string {
	x, t, ok := cut(c.args[0], "as")
	if !ok || len(c.args) != 1 {
		return ""
	}
	low := strings.ToLower(t)
	plain := c.name + "(" + x + " AS " + t + ")"
	if m := intervalType.FindStringSubmatch(t); m != nil {
		if wholeNumber.MatchString(x) {
			return "INTERVAL '" + x + "' " + m[1]
		}
		if toks := tokens(x); len(toks) == 1 && toks[0].kind == text && c.name == "CAST" {
			return "INTERVAL " + x + " " + m[1]
		}
		return "feldera_units(" + plain + ", '" + canonicalUnits(m[1]) + "')"
	}
	u := units(x)
	switch {
	case u != "" && (low == "varchar" || low == "char" || low == "string"):
		return "feldera_interval_text(" + x + ", '" + u + "')"
	case u != "" && numberType.MatchString(t):
		if m := sized.FindStringSubmatch(t); m != nil && m[3] != "" {
			return c.name + "(feldera_cut(feldera_interval_count(" + x + ", '" + u + "'), " + m[3] + ") AS " + t + ")"
		}
		return c.name + "(feldera_interval_count(" + x + ", '" + u + "') AS " + t + ")"
	case low == "timestamp":
		return c.name + "(feldera_ms(" + x + ") AS " + t + ")"
	case low == "boolean" || low == "bool":
		return c.name + "(feldera_bool(" + x + ") AS " + t + ")"
	case low == "varchar" || low == "char" || low == "string":
		return c.name + "(feldera_text(" + x + ") AS " + t + ")"
	case low == "json":
		return c.name + "(feldera_variant(" + x + ") AS " + t + ")"
	case (numberType.MatchString(low) || low == "double" || low == "real" || low == "float") && !sized.MatchString(t):
		return c.name + "(feldera_number(" + x + ") AS " + t + ")"
	}
	m := sized.FindStringSubmatch(t)
	if m == nil {
		return plain
	}
	n, scale := m[2], m[3]
	switch strings.ToLower(m[1]) {
	case "char", "character":
		return "rpad(" + c.name + "(feldera_text(" + x + ") AS VARCHAR), " + n + ", ' ')"
	case "varchar":
		return "left(" + c.name + "(feldera_text(" + x + ") AS VARCHAR), " + n + ")"
	case "binary":
		return "feldera_binary(" + x + ", " + n + ", true)"
	case "varbinary":
		return "feldera_binary(" + x + ", " + n + ", false)"
	}
	if scale == "" {
		scale = "0"
	}
	return c.name + "(feldera_cut(feldera_number(" + x + "), " + scale + ") AS " + t + ")"
}

var numberType = regexp.MustCompile(`(?i)^(tinyint|smallint|int|integer|bigint|int2|int4|int8|(?:decimal|numeric)(?:\s*\([\d\s,]*\))?)$`)
