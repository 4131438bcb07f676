// Package differential asks the same questions of three engines: calls of every
// function and operator with edge values of every type that it takes. Real Spark and
// DuckDB have answered once, by record.py; their answers lie in testdata, and the test
// compares with them what this engine answers now. What differs on purpose is a rule
// with a reason, of which docs/semantics/differences.md is made; any other difference
// fails. Nothing here knows how a function is computed.
//
// Open this file first. value.go has edge values and how each engine spells them,
// signatures.go finds out what a function takes, cases.go and the files named cases_* put
// the questions together, evaluate.go answers them here, compare.go and document.go compare, and the
// files named rules_* explain.
package differential

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The engines.
const (
	Spark  = "spark"
	DuckDB = "duckdb"
)

// Engines are those whose answers are recorded.
var engines = []string{Spark, DuckDB}

// Case is one question. An engine whose text is empty is not asked.
type Case struct {
	Func   string `json:"f"`    // the function or operator: rules look at it
	Kind   string `json:"kind"` // "expr": an expression; "query": a whole query
	SQL    string `json:"sql"`
	Spark  string `json:"spark,omitempty"`
	DuckDB string `json:"duckdb,omitempty"`
	// Solo says that the answer here is an error: it is asked alone.
	Solo    bool              `json:"solo,omitempty"`
	Answers map[string]Answer `json:"answers,omitempty"`
}

// Asks is the text for an engine, "" = it is not asked.
func (c *Case) Asks(engine string) string {
	if engine == Spark {
		return c.Spark
	}
	return c.DuckDB
}

// Answer is what an engine said: rows, or an error.
type Answer struct {
	Types []string `json:"t,omitempty"` // of the columns, as the engine spells them
	Rows  [][]any  `json:"r,omitempty"` // nil, text, []any, or {"": [[key, value], …]}
	Err   string   `json:"e,omitempty"` // the class of the error
	Msg   string   `json:"m,omitempty"`
}

// Refused reports that the engine has no such call: other types, another syntax.
func (a *Answer) Refused() bool {
	for _, class := range []string{"DATATYPE_MISMATCH.", "WRONG_NUM_ARGS", "UNRESOLVED_ROUTINE", "PARSE_SYNTAX_ERROR", "UNRESOLVED_COLUMN",
		"BinderException", "CatalogException", "ParserException", "NotImplementedException", "UNSUPPORTED_", "INVALID_SQL_SYNTAX", "NOT_A_CONSTANT", "NON_FOLDABLE", "NOT_TEXT", "INVALID_PARAMETER_VALUE.DATETIME_UNIT", "INVALID_LAMBDA_FUNCTION_CALL", "INTERNAL_ERROR", "INVALID_INLINE_TABLE", "UNEXPECTED_INPUT_TYPE", "NOT_A_SCALAR_FUNCTION", "NOT_A_TABLE_FUNCTION", "NAMED_PARAMETERS_NOT_SUPPORTED", "_LEGACY_ERROR_TEMP_0029"} {
		if strings.HasPrefix(a.Err, class) {
			return !strings.HasPrefix(a.Err, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE")
		}
	}
	return false
}

// Recorded reads the cases with their answers.
func Recorded(dir string) ([]*Case, error) {
	f, err := os.Open(filepath.Join(dir, "answers.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var out []*Case
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		c := new(Case)
		if err := json.Unmarshal(lines.Bytes(), c); err != nil {
			return nil, fmt.Errorf("case %d: %w", len(out)+1, err)
		}
		out = append(out, c)
	}
	return out, lines.Err()
}

// Functions reads which functions each engine has.
func Functions(dir string) (map[string]map[string]bool, error) {
	data, err := os.ReadFile(filepath.Join(dir, "functions.txt"))
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]bool{Spark: {}, DuckDB: {}}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		engine, name, _ := strings.Cut(line, " ")
		out[engine][name] = true
	}
	return out, nil
}
