package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// TokenKind is the class of a token for highlighting.
type TokenKind uint8

// The classes of tokens. White space is not reported.
const (
	TokenName TokenKind = iota
	TokenKeyword
	TokenString
	TokenNumber
	TokenParam
	TokenOperator
	TokenComment
	TokenError
)

// Token is one token of a text.
type Token struct {
	diag.Span
	Kind TokenKind
}

// Tokens cuts a text into tokens, comments included. It accepts any text.
func Tokens(text string) []Token {
	toks, _ := lex(text, true)
	out := make([]Token, len(toks))
	for i, t := range toks {
		out[i] = Token{t.span(), tokenClass(text, t)}
	}
	return out
}

func tokenClass(text string, t token) TokenKind {
	switch t.kind {
	case tokWord:
		if isKeyword(text[t.start:t.end]) {
			return TokenKeyword
		}
		return TokenName
	case tokQuoted:
		return TokenName
	case tokString, tokEscape, tokRaw, tokBytes, tokDollar:
		return TokenString
	case tokNumber:
		return TokenNumber
	case tokParam, tokPlace:
		return TokenParam
	case tokHint, tokComment:
		return TokenComment
	case tokBad:
		return TokenError
	}
	return TokenOperator
}

// isKeyword tells whether a word is worth a keyword's colour.
func isKeyword(word string) bool {
	if isReserved(word) {
		return true
	}
	_, ok := keywordTable[strings.ToUpper(word)]
	return ok
}

// keywordTable has the words of our grammar that are not reserved; read only.
var keywordTable = set(Keywords())

func set(words []string) map[string]struct{} {
	out := make(map[string]struct{}, len(words))
	for _, w := range words {
		out[w] = struct{}{}
	}
	return out
}

// Keywords lists the words of the grammar, for completion.
func Keywords() []string {
	return strings.Fields(`ALL ALTER AND ANTI APPEND ARRAY AS ASC ASOF AVAILABLE AWAIT BEGIN BETWEEN BY CASE CAST CHANGELOG CHANGES
		CLOSE COMMENT COMPLETE COPY CREATE CROSS CUBE CUMULATE DEALLOCATE DEFAULT DELAY DESC DESCRIBE DESCRIPTOR DISTINCT DROP EMIT ENCODE END ESCAPE
		EVERY EXCEPT EXECUTE EXISTS EXPLAIN FALSE FETCH FILTER FINAL FOLLOWING FOR FORMAT FROM FULL FUNCTION GROUP GROUPING GROUPS
		HAVING HOP IF ILIKE IN INNER INSERT INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT MACRO MANUAL MAP MATERIALIZED
		MODE NATURAL NOT NULL NULLS OF OFFSET ON ONCE OR ORDER ORDINALITY OUTER OUTPUT OVER OVERWRITE PARTITION PARTITIONED
		PAUSE PRECEDING PREPARE PRIMARY QUALIFY QUERIES QUERY RANGE RECURSIVE REFRESH RENAME REPEATABLE REPLACE RESET RESUME RETURN RETURNS RIGHT RLIKE ROLLUP ROW ROWS RUN
		SELECT SEMI SESSION SET SETS SHOW SINK SINKS SOURCE SOURCES START STATEMENT STOP STREAM STRUCT SUSPEND SYSTEM_TIME TABLE TABLESAMPLE
		TABLES TEMPORARY THEN TIMEOUT TRIGGER TRUE TRY_CAST TUMBLE UNBOUNDED UNION UNNEST UPDATE USING VALUES VIEW VIEWS
		WATERMARK WATERMARKS WHEN WHERE WINDOW WITH WITHIN`)
}
