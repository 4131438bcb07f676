package diag

// Codes are stable: never reuse or renumber one. Each constant says what is
// wrong and gives a text that yields it ("Example:"), which a test runs.
//
//	1xxx  lexical and syntax errors (parser)
//	2xxx  names, types, binding (planner/bind)
//	3xxx  streaming plans that are refused (planner)
//	4xxx  options and objects (engine, connectors)
//
// One without an example says why ("No example:").
const (
	// SQL1001: a character that no token starts with.
	// Example: SELECT @x
	BadCharacter Code = "SQL1001"

	// SQL1002: a string, quoted name or comment that is never closed.
	// Example: SELECT 'abc FROM t
	Unclosed Code = "SQL1002"

	// SQL1003: brackets that do not pair. The caret is at the one without a partner.
	// Example: SELECT count(* FROM t
	Bracket Code = "SQL1003"

	// SQL1004: the statement text is longer than the limit of 1 MB. Put rows into a file, which
	// a table or source reads.
	// No example: it would be a megabyte.
	TooLong Code = "SQL1004"

	// SQL1005: nesting deeper than 500 levels. Name parts of the query with WITH or views.
	// No example: it would be 500 brackets.
	TooDeep Code = "SQL1005"

	// SQL1006: a malformed number or string literal.
	// Example: SELECT X'ABC'
	BadLiteral Code = "SQL1006"

	// SQL1007: an operator or notation that is refused because systems disagree on it.
	// Example: SELECT a ^ b FROM t
	Ambiguous Code = "SQL1007"

	// SQL1010: something else was expected here, or a keyword is misspelt.
	// Example: SELECT a FROM t GROUP BY
	Unexpected Code = "SQL1010"

	// SQL1011: two operands side by side.
	// Example: SELECT a b c FROM t
	MissingComma Code = "SQL1011"

	// SQL1012: a reserved word where a name or value is expected.
	// Example: SELECT a FROM t WHERE order = 1
	Reserved Code = "SQL1012"

	// SQL1013: clauses in the wrong order, or one given twice. The order is FROM, WHERE, GROUP
	// BY, HAVING, QUALIFY, WINDOW, ORDER BY, LIMIT, EMIT.
	// Example: SELECT a FROM t GROUP BY a WHERE a > 1
	ClauseOrder Code = "SQL1013"

	// SQL1014: the first word starts no statement.
	// Example: SELCT a FROM t
	UnknownStatement Code = "SQL1014"

	// SQL1015: known SQL, or another system's, that is not supported, by name, with what is
	// written instead.
	// Example: SELECT * FROM t LIMIT 1 BY k
	NotSupported Code = "SQL1015"

	// SQL1016: an unknown type name, or wrong type arguments.
	// Example: SELECT CAST(x AS BIGNIT) FROM t
	BadType Code = "SQL1016"

	// SQL1017: an unknown unit or a malformed interval or duration.
	// Example: SELECT INTERVAL '10' MINUTTE
	BadInterval Code = "SQL1017"

	// SQL1018: a malformed DATE, TIME or TIMESTAMP literal.
	// Example: SELECT DATE '2024-02-30'
	BadTime Code = "SQL1018"

	// SQL1019: rows of VALUES of different length, or not as long as the column list.
	// Example: VALUES (1, 2), (3)
	BadArity Code = "SQL1019"

	// SQL1020: a join without a condition.
	// Example: SELECT * FROM a LEFT JOIN b
	JoinCondition Code = "SQL1020"

	// SQL1021: a malformed property list or an option given twice.
	// Example: CREATE SOURCE s (a INT) WITH (connector = 'x', connector = 'y')
	BadOption Code = "SQL1021"

	// SQL1023: a clause on which worker gets which rows, which the engine decides by itself.
	// Example: SELECT v FROM t CLUSTER BY v
	WorkerClause Code = "SQL1023"

	// SQL1099: the inner grammar refused what the front end let through. This is a mistake of
	// sqlstream: report it, and write the construct at the caret in another way.
	// No example: none is known.
	Syntax Code = "SQL1099"
)
