package parser

import (
	"strings"
	"testing"
)

// words are those that mean something in some place of the grammar.
func words() []string {
	return append(Keywords(), strings.Fields(`TRY_CAST SAFE_CAST EXTRACT FLOOR CEIL CEILING SUBSTRING SUBSTR OVERLAY POSITION TRIM CAST DATE TIME TIMESTAMP
		TIMESTAMP_NTZ DATETIME INT DOUBLE PRECISION DECIMAL STRING BYTES JSON UUID DAY MONTH YEAR MINUTE SECOND WEEK ANY SOME AT ZONE COLLATE DIV MOD
		XOR PIVOT UNPIVOT INCLUDE EXCLUDE IGNORE RESPECT NULLS SIMILAR OVERLAPS SYMMETRIC SAMPLE ESCAPE REGEXP GLOB MATCH_CONDITION MATCH_RECOGNIZE
		FIRST LAST TIES ONLY PERCENT NEXT LANGUAGE RETURNS CONTAINS READS STORED LOCATION COMMENT METADATA VIRTUAL GENERATED ALWAYS ENFORCED COLUMNS
		POSITIONAL PROCTIME CURRENT_DATE CURRENT_TIMESTAMP LOCALTIME DUPLICATE LATENESS JSON_OBJECT JSON_VALUE CONVERT COUNT TIMESTAMPADD DATE_ADD DATEDIFF
		B E R X N UNKNOWN INFINITY SYSTEM BERNOULLI LEADING BOTH PLACING KEY VALUE ABSENT RETURNING WRAPPER ERROR EMPTY STREAMING SECRET SCHEMA RECOMPUTE`)...)
}

// placesOfNames are statements with a word in a place of a name, #.
var placesOfNames = strings.Split(`SELECT #
SELECT # FROM t
SELECT a AS #
SELECT a #
SELECT #.a, a.#, (a).#
SELECT #[1], #[1:2], (#)[1], #:a
SELECT # -> 'a', a -> #, f(# -> 1), f(# -> #), f((#, b) -> b), f(#, 1), f(a, #), f(# => 1)
SELECT # IN (1), 1 IN #, 1 IN (#), # IN #
SELECT # || 'a', - #, NOT #, # AND #, # IS NULL, # BETWEEN # AND #, # LIKE #, # AT TIME ZONE 'UTC', # COLLATE NOCASE, # COLLATE "C", # :: INT, # + 1, # * 2
SELECT CASE # WHEN # THEN # ELSE # END, CASE WHEN # THEN 1 END
SELECT CAST(# AS INT), STRUCT(# AS b), STRUCT(a AS #), {'a': #}, [#], ARRAY[#], MAP[#, #], ROW(#, 1), (#, 1)
SELECT #(), #(a), #(a, b), #(a, b, c), #(*), #(DISTINCT a), #('a'), #(x -> x), #(a ORDER BY b), #(a => 1), #(DAY, a, b)
SELECT x.#(), x.#(a), x[1].#(a, b), f(1).#(a ORDER BY b), x[1].#(DISTINCT a), x[1].#(b -> b)
SELECT "#"(), "#"(a, b), a.#(b), "#"(a) OVER (ORDER BY b), #(a) FILTER (WHERE b) OVER # FROM t WINDOW # AS (ORDER BY #)
SELECT * EXCEPT (#), * REPLACE (1 AS #), #.*, * RENAME (# AS b), * RENAME (a AS #), * LIKE 'a'
SELECT DISTINCT #
SELECT DISTINCT ON (#) # FROM t
SELECT STREAM #
SELECT ALL #
SELECT STREAM ALL #
SELECT a FROM #
SELECT a FROM # AS b
SELECT a FROM t AS #
SELECT a FROM t #
SELECT a FROM #.t, a.#, #.#.#
SELECT a FROM t AS # (#, b)
SELECT a FROM (SELECT 1) #
SELECT a FROM (#)
SELECT a FROM t JOIN # ON a = b
SELECT a FROM t JOIN u USING (#)
SELECT a FROM # JOIN # ON #
SELECT a FROM #, LATERAL (SELECT 1) AS #
SELECT a FROM #(a)
SELECT a FROM LATERAL #(a) AS u (#)
SELECT a FROM TABLE(#(a))
SELECT a FROM f(TABLE #, DESCRIPTOR(#), # => 1)
SELECT a FROM t LATERAL VIEW explode(#) # AS #
SELECT a FROM t WATERMARK # DELAY '1 second'
SELECT a FROM t WATERMARK FOR # AS # - INTERVAL '1' SECOND
SELECT a FROM t WHERE #
SELECT a FROM t WHERE EXISTS (SELECT # FROM #)
SELECT a FROM t GROUP BY #
SELECT a FROM t GROUP BY #, b
SELECT a FROM t GROUP BY ROLLUP (#), GROUPING SETS ((#), (#, b))
SELECT a FROM t GROUP BY a HAVING #
SELECT a FROM t QUALIFY #
SELECT a FROM t ORDER BY #
SELECT a FROM t ORDER BY # DESC NULLS FIRST, b
SELECT a FROM t LIMIT #
SELECT a FROM t UNION SELECT #
SELECT sum(a) OVER (PARTITION BY #, # ORDER BY #), sum(a) OVER #, sum(a) OVER (#) FROM t
SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN # PRECEDING AND # FOLLOWING) FROM t
WITH # AS (SELECT 1) SELECT * FROM #
WITH # (#) AS (SELECT 1) SELECT 1
SELECT a FROM t PIVOT (sum(#) AS # FOR # IN (1 AS #, 2))
SELECT a FROM t UNPIVOT (# FOR # IN (#, b AS 'c'))
PIVOT # ON # IN (1) USING sum(#) GROUP BY #
UNPIVOT # ON #, b INTO NAME # VALUE #
VALUES (#), (1)
SELECT INTERVAL # DAY, INTERVAL '1' DAY + #
SELECT a BETWEEN # // 10 AND 1, 1 - # // 10, CASE # // 10 WHEN 1 THEN 2 END, 1 IN # || 'a', f(# // 10), # // 10, a = # -> 'a', # IS NULL
SELECT # OVERLAPS (a, b), # SIMILAR TO 'a', # IS DISTINCT FROM #, # = ANY (#), # > ALL (SELECT #)
INSERT INTO # SELECT 1
INSERT INTO # (#) VALUES (#)
INSERT INTO t BY NAME SELECT #
CREATE TABLE # (# INT)
CREATE TABLE t (# INT, b INT, PRIMARY KEY (#))
CREATE TABLE t (a INT DEFAULT #, b INT AS (#))
CREATE TABLE t (a STRUCT<#: INT>)
CREATE TABLE t AS SELECT #
CREATE SOURCE # (# INT, WATERMARK FOR # AS # - INTERVAL '1' SECOND) WITH (a = 1)
CREATE SOURCE s (a INT) WITH (# = 1) FORMAT # ENCODE #
CREATE SINK # FROM # WITH (a = 1)
CREATE SINK s INTO # AS SELECT #
CREATE SINK s AS SELECT # FROM # WITH (a = 1) COMMENT 'x'
CREATE VIEW # AS SELECT 1
CREATE VIEW v (#) AS SELECT 1
CREATE MATERIALIZED VIEW # AS SELECT # FROM # EMIT UPDATE TRIGGER EVERY '1 second'
CREATE FUNCTION # (# INT) RETURN #
CREATE MACRO m (#, b) AS #
CREATE MACRO m (a) AS TABLE SELECT #
DROP TABLE #
ALTER TABLE # RENAME TO #
ALTER TABLE t RENAME COLUMN # TO #
DESCRIBE #
EXPLAIN SELECT #
EXPLAIN #
SHOW CREATE TABLE #
SET # = 1
SET # = #
RESET #
SHOW #
PREPARE # AS SELECT #
EXECUTE # (#)
DEALLOCATE #
STOP QUERY #
START QUERY # AS SELECT 1
COPY # TO 'a'
REFRESH #
DECLARE # CURSOR FOR SELECT 1`, "\n")

// placesOfValues are statements with an expression in a place of one, #.
var placesOfValues = strings.Split(`SELECT (#)[1], (#).x, (#)::INT, (#) COLLATE NOCASE, (#).f(1), (#):a, (#).*, (#) AT TIME ZONE 'UTC'
SELECT #[1], #.x, #::INT, # COLLATE NOCASE, #.f(1), #:a, #.*, # AT TIME ZONE 'UTC'
SELECT f(#), f(#, 1), f(1, #), f(DISTINCT #), f(a => #), f(a ORDER BY #), f(#.x), f(# -> 1), f((#)), f(# IN (1)), f(1 IN #), f([#]), f(x -> #), f((x, y) -> #), f(#) OVER w FROM t
SELECT trim(#), trim(# FROM a), trim(BOTH # FROM #), position(# IN #), extract(DAY FROM #), substring(# FROM # FOR #), substring(#, #), overlay(# PLACING # FROM #), floor(# TO DAY), floor(#), timestampadd(DAY, #, #), timestampadd(#, 1, a), date_add(#, 1, 2), datediff(#, #, #), row(#, #), cast(# AS STRING), try_cast(# AS ARRAY<INT>)
SELECT interval # day, interval (#) day, interval '1' day * #, # * interval '1' day
SELECT - #, + #, ~ #, NOT #, # = #, # <> #, # + #, # || #, # AND #, # OR #, # -> #, # ->> #, # #> #, # & #, # << #, # % #, # DIV #, # <=> #, # @> #, # && #, # OVERLAPS #
SELECT # IS NULL, # IS NOT TRUE, # IS DISTINCT FROM #, # BETWEEN # AND #, # NOT BETWEEN SYMMETRIC # AND #, # LIKE #, # LIKE # ESCAPE #, # ILIKE ANY (#, #), # ~ #, # !~* #, # RLIKE #, # SIMILAR TO #, # IN (#, #), # NOT IN #, # = ANY (#), # > ALL (SELECT #), # = ANY #
SELECT CASE # WHEN # THEN # ELSE # END, CASE WHEN # THEN # END, [#, #], {'a': #}, MAP[#, #], MAP {#: #}, STRUCT(# AS a), ARRAY[#][#], a[#], a[#:], a[:#], a[#:#], [x FOR x IN # IF #]
SELECT # AS x, # x, DISTINCT #, ALL #
SELECT STREAM #
SELECT STREAM ALL #
SELECT DISTINCT ON (#) # FROM t
SELECT * REPLACE (# AS a) FROM t
SELECT a FROM f(#), LATERAL f(#), UNNEST(#) WITH ORDINALITY, TABLE(f(#))
SELECT a FROM t TABLESAMPLE (#)
SELECT a FROM t FOR SYSTEM_TIME AS OF #
SELECT a FROM t JOIN u ON # WHERE # GROUP BY # HAVING # QUALIFY # ORDER BY # LIMIT # OFFSET #
SELECT a FROM t GROUP BY ROLLUP (#), CUBE (#, (#, #)), GROUPING SETS ((#), #)
SELECT sum(a) OVER (PARTITION BY #, # ORDER BY # DESC ROWS BETWEEN # PRECEDING AND # FOLLOWING) FROM t
SELECT a FROM t PIVOT (sum(#) FOR # IN (#, # AS x))
SELECT a FROM t UNPIVOT (a FOR b IN (#))
PIVOT t ON # IN (#) USING sum(#)
VALUES (#, #), (#, #)
INSERT INTO t VALUES (#, #)
INSERT INTO t SELECT #
CREATE TABLE t (a INT DEFAULT #, b INT AS (#))
CREATE SOURCE s (a INT, WATERMARK FOR a AS #) WITH (a = #)
CREATE MACRO m (a := #, b) AS #
CREATE FUNCTION f (a INT DEFAULT #) RETURN #
CREATE MACRO m (a) AS TABLE SELECT #
SET a = #
EXECUTE p (#, #)
EXECUTE p (a => #)
WITH RECURSIVE r USING KEY (#) AS (SELECT #) SELECT # FROM r
EXPLAIN SELECT #`, "\n")

// values are expressions of every form.
var values = strings.Split(`1
1.5
1e5
1L
-1
'a'
''
'a' 'b'
X'00'
DATE '2024-01-01'
TIMESTAMP '2024-01-01 00:00:00'
INTERVAL '1' DAY
INTERVAL 1 DAY
INTERVAL (a) DAY
NULL
TRUE
?
$1
:n
#1
(1)
(a)
((a))
(a.b)
ARRAY[1]
ARRAY(SELECT 1)
ARRAY<INT>[1]
STRUCT<a INT>(1)
[1]
{'a': 1}
MAP[1, 2]
MAP {1: 2}
(SELECT 1)
CASE WHEN a THEN 1 END
CASE a WHEN 1 THEN 2 ELSE 3 END
CAST(a AS INT)
TRY_CAST(a AS INT)
f(a)
f()
a[1]
a[1:2]
a.b
f(a).b
f(a)[1]
(a).b
1 .b
'a'.b
EXISTS (SELECT 1)
NOT a
NOT EXISTS (SELECT 1)
(1, 2)
ROW(1, 2)
ROW(1)
(a, b) OVERLAPS (c, d)
a AND b
a OR b
a = b
a -> b
a ->> 'b'
a 
 b
a + b
a * b
-a
- -1
+a
~a
a IS NULL
a IS NOT TRUE
a IN (1)
a IN b
a NOT IN (SELECT 1)
a BETWEEN 1 AND 2
a LIKE 'b' ESCAPE 'c'
a NOT LIKE ALL ('a', 'b')
a ~ 'b'
a !~* 'b'
a::INT
a::INT[]
a::DECIMAL(10, 2)
a COLLATE NOCASE
a AT TIME ZONE 'UTC'
a = ANY (b)
a > ALL (SELECT 1)
a IS DISTINCT FROM b
x -> x + 1
(x, y) -> x
sum(a) OVER ()
sum(DISTINCT a) FILTER (WHERE b) OVER w
first_value(a) IGNORE NULLS OVER (ORDER BY b ROWS 1 PRECEDING)
count(*)
*
t.*
COLUMNS('a')
COLUMNS(*)
* EXCEPT (a)
extract(DAY FROM a)
substring(a FROM 1 FOR 2)
position('a' IN b)
trim(BOTH 'a' FROM b)
overlay(a PLACING b FROM 1)
floor(a TO DAY)
listagg(a, ',') WITHIN GROUP (ORDER BY b)
a:b
a:b.c::INT
a:b[1]
[x FOR x IN a IF x > 1]
CURRENT_DATE
current_timestamp(3)
timestampadd(DAY, 1, a)
GROUPING SETS ((a))
JSON_OBJECT('a': 1)
json_value(a, '$.b' RETURNING INT)
E'a'
$$a$$
a.f(b)
a[1].f(b)
'%a' 
DEFAULT
a XOR b
a DIV b
a % b
a // b
a & b
a << b
a <=> b
a != b
!a
a && b
a SIMILAR TO 'b'
a RLIKE 'b'
a GLOB 'b'
a ISNULL
a NOTNULL
UNIQUE
2 DAYS
1 PRECEDING
a || b
a || b || c
symmetric // 10
any -> 'a'
top || 'a'`, "\n")

// TestWordsAsNames puts each word of the grammar where a name can be: what is taken prints as
// a text that is read as the same.
func TestWordsAsNames(t *testing.T) {
	t.Parallel()
	list := words()
	for _, w := range []string{"ARRAY", "UNNEST", "STREAM", "TRY_CAST", "TRIM", "ROW", "INTERVAL", "DATE", "VALUES", "WINDOW"} {
		list = append(list, `"`+strings.ToLower(w)+`"`)
	}
	if taken := fillPlaces(t, placesOfNames, list); taken < 20_000 {
		t.Errorf("only %d statements were taken", taken)
	}
}

// TestValuesInPlaces puts an expression of every form where one can be.
func TestValuesInPlaces(t *testing.T) {
	t.Parallel()
	if taken := fillPlaces(t, append(placesOfValues, placesOfNames...), values); taken < 10_000 {
		t.Errorf("only %d statements were taken", taken)
	}
}

// fillPlaces counts the statements that are taken.
func fillPlaces(t *testing.T, places, fillings []string) (taken int) {
	for _, place := range places {
		for _, f := range fillings {
			for _, text := range alternatives(strings.ReplaceAll(place, "#", f)) {
				taken += checkPrint(t, text)
			}
		}
	}
	return taken
}

// alternatives are a statement and, of a list of items, each alone: one refused item would
// hide the others.
func alternatives(text string) []string {
	out := []string{text}
	head, list, ok := strings.Cut(text, "SELECT ")
	if !ok || head != "" {
		return out
	}
	items, rest, _ := strings.Cut(list, " FROM ")
	if rest != "" {
		rest = " FROM " + rest
	}
	depth, from := 0, 0
	for i, c := range items + "," {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, "SELECT "+strings.TrimSpace(items[from:i])+rest)
				from = i + 1
			}
		}
	}
	return out
}
