package oracle

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// class pairs a class of Spark's errors with ours: the codes of what we refuse before
// running, or what our message says of a value that could not be computed.
type class struct {
	spark string // prefix of the error condition
	codes string // prefixes of our codes, separated by blanks; "" = not at planning
	value string // pattern of our message when it is about a value; "" = not at run time
}

// classes are the pairs, most special first.
var classes = []class{
	{"PARSE_SYNTAX_ERROR", "SQL1", ""},
	{"UNRESOLVED_COLUMN", "SQL2001 SQL2002 SQL2021", ""},
	{"TABLE_OR_VIEW_NOT_FOUND", "SQL2001", ""},
	{"UNRESOLVED_ROUTINE", "SQL2004", ""},
	{"WRONG_NUM_ARGS", "SQL2005", ""},
	{"AMBIGUOUS_REFERENCE", "SQL2003", ""},
	{"DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "SQL2005 SQL2013", ""},
	{"DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "SQL2005 SQL2013", ""},
	{"DATATYPE_MISMATCH", "SQL2005 SQL2006", ""},
	{"CANNOT_PARSE_INTERVAL", "SQL1017 SQL2013 SQL2020", ""},
	{"EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE", "SQL2017", ""},
	{"IllegalArgumentException", "SQL2017 SQL2013", ""},
	{"GROUP_BY_POS", "SQL2009", ""},
	{"ORDER_BY_POS", "SQL2009", ""},
	{"INVALID_LIMIT_LIKE_EXPRESSION", "SQL1010 SQL2018", ""},
	{"INVALID_WHERE_CONDITION", "SQL2007", ""},
	{"NESTED_AGGREGATE_FUNCTION", "SQL2007", ""},
	{"MISSING_AGGREGATION", "SQL2008", ""},
	{"UNRESOLVED_GROUP", "SQL2002 SQL2008", ""},
	{"NUM_COLUMNS_MISMATCH", "SQL2010", ""},
	{"INCOMPATIBLE_COLUMN_TYPE", "SQL2006 SQL2010", ""},
	{"INVALID_SUBQUERY_EXPRESSION", "SQL2015 SQL3001 SQL31", ""},
	{"SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN", "SQL2015", ""},
	{"AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC", "SQL2007 SQL3006", ""},
	{"STREAMING_OUTPUT_MODE", "SQL300", ""},
	{"NON_TIME_WINDOW_NOT_SUPPORTED", "SQL3001", ""},
	{"_LEGACY_ERROR_TEMP_1039", "SQL2013", ""},
	{"_LEGACY_ERROR_TEMP_3102", "SQL300 SQL301 SQL1023 SQL2033", ""},
	{"STREAM_FAILED", "SQL30", ""},
	{"DIVIDE_BY_ZERO", "SQL2020", `zero`},
	{"ARITHMETIC_OVERFLOW", "SQL2020", `overflow|out of range|does not fit`},
	{"NUMERIC_VALUE_OUT_OF_RANGE", "SQL2020", `overflow|out of range|does not fit`},
	{"CAST_OVERFLOW", "SQL2020", `overflow|out of range|does not fit`},
	{"CAST_INVALID_INPUT", "SQL2020", `(?i)cast|is no|not a|syntax|malformed|cannot be read`},
	{"INVALID_ARRAY_INDEX", "SQL2005 SQL2020", `index|element`},
	{"CANNOT_PARSE_TIMESTAMP", "SQL2020", `(?i)timestamp|date|format|parse`},
	{"CANNOT_PARSE_JSON_FIELD", "", `(?i)json|column|field|type`},
	{"MALFORMED_RECORD_IN_PARSING", "", `(?i)json|malformed|record`},
	{"DATETIME_FIELD_OUT_OF_BOUNDS", "SQL2020", `(?i)date|day|month|out of range`},
}

// refused judges an error of ours; phase is start or runtime.
func (c *Case) refused(err error, phase string) Verdict {
	if missing := missing(err); missing != "" {
		if c.sparkFails() && c.sameClass(err, phase) {
			return Verdict{Kind: Passed}
		}
		return notYet(missing)
	}
	if v, ok := c.redeclared(err); ok {
		return v
	}
	if !c.sparkFails() {
		return failed("Spark answers, we refuse (%s): %v", phase, err)
	}
	if !c.sameClass(err, phase) {
		return failed("Spark: %s %s: %s; we: %s: %v", c.Phase, c.Condition, *c.Error, phase, err)
	}
	return Verdict{Kind: Passed}
}

func (c *Case) sameClass(err error, phase string) bool {
	codes := codesOf(err)
	for _, k := range classes {
		if !strings.HasPrefix(c.Condition, k.spark) {
			continue
		}
		if phase == "runtime" && len(codes) == 0 {
			return k.value != "" && regexp.MustCompile(k.value).MatchString(err.Error())
		}
		return anyPrefix(codes, strings.Fields(k.codes))
	}
	return false
}

func anyPrefix(codes, prefixes []string) bool {
	for _, code := range codes {
		for _, p := range prefixes {
			if strings.HasPrefix(code, p) {
				return true
			}
		}
	}
	return false
}

func codesOf(err error) []string {
	var list *diag.Error
	if !errors.As(err, &list) {
		return nil
	}
	var out []string
	for _, d := range list.Diagnostics {
		if d.Severity == diag.SeverityError {
			out = append(out, string(d.Code))
		}
	}
	return out
}

var quotedName = regexp.MustCompile(`unknown (?:aggregate )?function "([^"]+)"`)

// missing names what an error says does not exist so far, "" if it says something else.
func missing(err error) string {
	var list *diag.Error
	if !errors.As(err, &list) {
		return ""
	}
	name := ""
	for _, d := range list.Diagnostics {
		if d.Severity != diag.SeverityError {
			continue
		}
		switch d.Code {
		case diag.UnknownFunction:
			if m := quotedName.FindStringSubmatch(d.Message); m != nil && name == "" {
				name = "function " + m[1]
			}
		case diag.NotSupported, diag.NotPlanned:
			if name == "" {
				name = strings.TrimSuffix(d.Message, " is not supported")
			}
		default:
			return ""
		}
	}
	return name
}

// retry says how a refusal of ours is written otherwise, and the number of the deviation.
func (c *Case) retry(v Verdict) (string, dialect) {
	if v.Kind == Failed && !c.sparkFails() && strings.Contains(v.Text, "arrays count from 1") {
		return "D11", dialect{fromZero: true}
	}
	return "", dialect{}
}

// redeclared is D25: a watermark stated again above an operator that keeps state. Spark
// takes it, and then gives nothing for ever.
func (c *Case) redeclared(err error) (Verdict, bool) {
	if c.sparkFails() || !slices.Contains(codesOf(err), string(diag.WatermarkAboveState)) || len(all(c.fold().rows)) > 0 {
		return Verdict{}, false
	}
	return deviation("D25", "refused, where Spark accepts and never gives a row"), true
}
