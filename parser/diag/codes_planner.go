package diag

// Names, types and binding (planner/bind). The examples are run by the planner's
// tests over the objects that these declare:
//
//	CREATE SOURCE events (ts TIMESTAMP, k STRING, v INT, s STRUCT<a: INT>, WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE);
//	CREATE SOURCE plain (k STRING, v INT);
//	CREATE SOURCE changes (k STRING, v INT) WITH (changelog = true);
//	CREATE TABLE dim (k STRING, name STRING);
//	CREATE SINK files (k STRING, v INT) WITH (connector = 'file', path = 'out', format = 'json');
const (
	// SQL2001: no table, source or view has this name.
	// Example: SELECT * FROM evnts
	UnknownTable Code = "SQL2001"

	// SQL2002: no column in scope has this name.
	// Example: SELECT kk FROM events
	UnknownColumn Code = "SQL2002"

	// SQL2003: several columns or objects match a name.
	// Example: SELECT k FROM events JOIN dim ON events.k = dim.k
	AmbiguousName Code = "SQL2003"

	// SQL2004: no function has this name.
	// Example: SELECT lenght(k) FROM events
	UnknownFunction Code = "SQL2004"

	// SQL2005: a function does not take these arguments.
	// Example: SELECT sum(k, v) FROM plain
	WrongArguments Code = "SQL2005"

	// SQL2006: types that do not go together, or a condition that is not BOOLEAN.
	// Example: SELECT k FROM events WHERE v
	TypeMismatch Code = "SQL2006"

	// SQL2007: an aggregate where none is allowed: in WHERE, GROUP BY, ON, or inside another.
	// Example: SELECT max(count(*)) FROM plain
	MisplacedAggregate Code = "SQL2007"

	// SQL2008: a column that is neither grouped nor inside an aggregate.
	// Example: SELECT k, v, count(*) FROM plain GROUP BY k
	NotGrouped Code = "SQL2008"

	// SQL2009: an ordinal in GROUP BY or ORDER BY outside the select list.
	// Example: SELECT k FROM plain GROUP BY 3
	BadOrdinal Code = "SQL2009"

	// SQL2010: lists of columns that are not equally long.
	// Example: SELECT k FROM plain UNION ALL SELECT k, v FROM plain
	ColumnCount Code = "SQL2010"

	// SQL2011: a column defined twice.
	// Example: CREATE SOURCE x (a INT, A INT)
	DuplicateColumn Code = "SQL2011"

	// SQL2012: a type, or a part of one, that is known by name and not supported.
	// Example: SELECT CAST(NULL AS STRUCT<a: INT NOT NULL>) FROM events
	UnsupportedType Code = "SQL2012"

	// SQL2013: a time window with a bad column, size, slide or offset.
	// Example: SELECT count(*) FROM events GROUP BY window(ts, '-10 minutes')
	BadWindow Code = "SQL2013"

	// SQL2014: an object of another kind is needed here.
	// Example: SELECT * FROM files
	WrongObject Code = "SQL2014"

	// SQL2015: a subquery that has the wrong number of columns, or stands where none may.
	// Example: SELECT k FROM events WHERE k IN (SELECT k, name FROM dim)
	BadSubquery Code = "SQL2015"

	// SQL2016: an object of this name exists.
	// Example: CREATE SOURCE plain (a INT)
	ObjectExists Code = "SQL2016"

	// SQL2017: a watermark on something that is no event time, or with a delay that is none.
	// Example: CREATE SOURCE x (a STRING, WATERMARK FOR a AS a)
	BadWatermark Code = "SQL2017"

	// SQL2018: LIMIT or OFFSET is not a constant whole number of at least zero, or WITH TIES
	// stands without ORDER BY or with OFFSET.
	// Example: SELECT name FROM dim FETCH FIRST 1 ROW WITH TIES
	BadLimit Code = "SQL2018"

	// SQL2019: a view that uses itself. Give the new view another name.
	// Example: CREATE VIEW v AS SELECT k FROM dim; CREATE OR REPLACE VIEW v AS SELECT k FROM v; SELECT k FROM v
	ViewCycle Code = "SQL2019"

	// SQL2020: a constant that cannot be converted to its type.
	// Example: SELECT 99999999999999999999999999999999999999999 FROM plain
	BadConstant Code = "SQL2020"

	// SQL2021: a field that a STRUCT does not have.
	// Example: SELECT s.b FROM events
	UnknownField Code = "SQL2021"

	// SQL2022: a source or table without columns.
	// Example: CREATE SOURCE x
	NoColumns Code = "SQL2022"

	// SQL2023: known SQL that the planner does not support, in any query.
	// Example: SELECT k COLLATE x FROM plain
	NotPlanned Code = "SQL2023"

	// SQL2024: columns of a query that do not fit the sink's or table's columns; or of a
	// declaration, those of the table behind it.
	// Example: INSERT INTO files SELECT v, ts FROM events
	WrongColumns Code = "SQL2024"

	// SQL2025: a note that / of whole numbers gives a DOUBLE, unlike PostgreSQL and Flink. DIV
	// cuts off the fraction.
	// No example: it is no error; EXPLAIN shows it.
	IntegerDivision Code = "SQL2025"

	// SQL2026: a note that two backslashes in a regular expression match one: text has no
	// escapes here, unlike in Spark and MySQL.
	// No example: it is no error; EXPLAIN shows it.
	DoubledBackslash Code = "SQL2026"

	// SQL2027: a note that || of two JSON documents joins their texts, unlike in PostgreSQL,
	// where it merges them. json_merge_patch does.
	// No example: it is no error; EXPLAIN shows it.
	JoinedDocuments Code = "SQL2027"

	// SQL2030: a function with OVER where none may stand, or a window function without OVER.
	// Example: SELECT k FROM plain WHERE row_number() OVER (ORDER BY v) = 1
	MisplacedWindow Code = "SQL2030"

	// SQL2031: a window of OVER that cannot be: bounds in the wrong order, an offset that is
	// no constant or negative, RANGE with an offset over several columns.
	// Example: SELECT sum(v) OVER (ORDER BY k, v RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM plain
	BadFrame Code = "SQL2031"

	// SQL2032: a window that no WINDOW clause defines, or one that is defined twice or
	// changed where it is used.
	// Example: SELECT sum(v) OVER w FROM plain
	UnknownWindow Code = "SQL2032"

	// SQL2033: a function of the place and the order in which rows are processed, which
	// another run does not repeat.
	// Example: SELECT monotonically_increasing_id() FROM plain
	NotRepeatable Code = "SQL2033"

	// SQL2034: a PIVOT or UNPIVOT that cannot be: no aggregate, a value that is no constant,
	// a column that is used twice.
	// Example: SELECT * FROM plain PIVOT (v FOR k IN ('a', 'b'))
	BadPivot Code = "SQL2034"
)

// Streaming plans that are refused (planner).
const (
	// SQL3001: append mode needs final rows, and the query never has any.
	// Example: SELECT k, count(*) FROM plain GROUP BY k EMIT APPEND
	NeverFinal Code = "SQL3001"

	// SQL3002: update mode needs a unique key.
	// Example: SELECT v FROM changes EMIT UPDATE
	NoKey Code = "SQL3002"

	// SQL3003: rows can vanish, and the sink cannot delete. Set on_delete = 'ignore' on it, or
	// write the changes with EMIT CHANGELOG.
	// No example: every connector that takes updates takes deletions, but one of your own need not.
	CannotDelete Code = "SQL3003"

	// SQL3004: the sink does not take this output mode.
	// Example: INSERT INTO files SELECT k, v FROM plain EMIT COMPLETE
	SinkMode Code = "SQL3004"

	// SQL3005: complete mode would keep an unbounded input.
	// Example: SELECT k FROM plain WHERE v > 0 EMIT COMPLETE
	CompleteUnbounded Code = "SQL3005"

	// SQL3006: an expression with another value at each call, over rows that can be retracted, in a function with OVER, or where it is read several times.
	// Example: SELECT k, random() FROM changes
	VolatileRetract Code = "SQL3006"

	// SQL3007: ORDER BY without LIMIT outside complete mode.
	// Example: SELECT k FROM plain ORDER BY k
	OrderOnStream Code = "SQL3007"

	// SQL3008: a watermark stated above an operator that keeps state.
	// Example: SELECT * FROM (SELECT DISTINCT ts FROM events) WATERMARK ts DELAY '1 minute'
	WatermarkAboveState Code = "SQL3008"

	// SQL3009: drop_duplicates over rows that can be retracted.
	// Example: SELECT * FROM drop_duplicates(TABLE changes, DESCRIPTOR(k))
	DedupRetract Code = "SQL3009"

	// SQL3010: state that grows without bound (a warning, or an error with allow_unbounded_state = false).
	// Example: SET allow_unbounded_state = false; SELECT k, count(*) FROM plain GROUP BY k EMIT UPDATE
	UnboundedState Code = "SQL3010"

	// SQL3011: an operator that needs a watermark on its input.
	// Example: SELECT * FROM drop_duplicates_within_watermark(TABLE plain, DESCRIPTOR(k))
	NoWatermark Code = "SQL3011"

	// SQL3012: the key of the sink is not unique in the query.
	// Example: CREATE SINK byv (k STRING, v INT, PRIMARY KEY (v)) WITH (connector = 'memory'); INSERT INTO byv SELECT k, v FROM plain EMIT UPDATE
	SinkKey Code = "SQL3012"

	// SQL3013: a bare SELECT or INSERT reads a stream where a finite query is needed.
	// Example: CREATE TABLE x AS SELECT * FROM plain
	NotFinite Code = "SQL3013"

	// SQL3014: the default mode would be ambiguous for this sink.
	// Example: INSERT INTO files SELECT k, count(*) FROM plain GROUP BY k
	NoDefaultMode Code = "SQL3014"
)

// Forms of queries that cannot be kept up to date.
const (
	// SQL3110: an ASOF join takes equalities and one inequality between its sides; FOR
	// SYSTEM_TIME AS OF joins a stream by its event time.
	// Example: SELECT * FROM plain ASOF JOIN dim ON plain.k = dim.k
	AsofJoin Code = "SQL3110"

	// SQL3112: a recursive query without a beginning, or a USING KEY that is none.
	// Example: WITH RECURSIVE r AS (SELECT k FROM r) SELECT k FROM r
	Recursion Code = "SQL3112"

	// SQL3114: a condition on the current time in ON of an outer join, or of a subquery.
	// Example: SELECT e.k FROM events e LEFT JOIN changes c ON e.k = c.k AND e.ts > now() - INTERVAL '1' HOUR
	TemporalFilter Code = "SQL3114"
)
