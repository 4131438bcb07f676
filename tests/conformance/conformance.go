// Package conformance runs public SQL test files against sqlstream: sqllogictest files,
// with data changes and materialised views between each other, and tests that say which
// change follows from which step. The files are not part of the project: a folder of them
// is named by SQLSTREAM_CONFORMANCE_DIR, with one folder in it for each suite.
//
// Each file runs under four schedules, which must all give the expected rows: as given
// (a statement that changes rows is a trigger, a query is a batch query), row by row, all
// at once, and with a restart after each trigger. In the last three, a query that is not
// a materialised view runs as a continuous query as well, over all changes of its tables.
//
// The package must not know how the engine works: it uses engine.Engine, as programs do.
// Open run.go first, then world.go. A respelling is a plain rule on names and forms, with
// exactly their meaning; a reason is narrow and true. A run of a whole suite prints the
// reasons that explained nothing: remove those.
//
// The run:
//   - run.go a file under a schedule, step by step; schedule.go, known.go which steps run again
//   - world.go the two engines and the views; arrival.go queries that depend on when rows come
//   - suite.go which files there are, and what belongs to a suite
//
// Reading:
//   - slt.go, include.go sqllogictest; java.go, steps.go Feldera's programs; script.go steps
//   - transactions.go what one connection sees of another
//
// Respelling, of every suite:
//   - dialect.go what a dialect is, names of types; forms.go calls and casts
//   - token.go tokens and edits; operand.go where operands begin and end, operators as calls
//   - series.go columns of generators in FROM; order.go NULL in ORDER BY; schemas.go schema.name
//   - functions.go helpers for functions that only respellings use
//
// What a table holds:
//   - table.go rows and keys; tabledef.go CREATE TABLE; bulk.go tables of many rows
//   - dml.go CREATE, DROP; change.go INSERT; update.go UPDATE, DELETE; conflict.go ON CONFLICT, MERGE
//   - withchange.go changes in WITH; prepared.go PREPARE; versions.go versions of rows
//
// Judging:
//   - query.go batch and continuous queries; undecided.go ties and LIMIT without an order
//   - value.go, nested.go, interval.go how values are written, and when lines are the same
//   - rules.go what is not applicable; explained.go why failures stay; report.go the tables
//
// DuckDB (duckdb.go, duckforms.go the list of forms):
//   - duckrespell.go, duckcalls.go calls; duckshapes.go forms of queries
//   - duckcasts.go, ducktypes.go casts and names of types; ducktext.go texts and patterns; duckmath.go, duckdivide.go numbers
//   - ducktimes.go, duckclock.go, duckfields.go times; ducknested.go, ducklists.go, ducknulls.go nested values
//   - duckaggregates.go aggregates and windows; duckfunctions.go what the functions above are added by
//   - duck…reasons.go reasons by topic
//
// RisingWave (risingwave.go): risingforms.go, risingcalls.go, risingtext.go, risingcasts.go, risingjson.go,
// risingtemplate.go respellings; risingvalue.go how it writes values; risingreasons.go the batch folders' reasons.
//
// Feldera (feldera.go): felderaforms.go calls, felderafunctions.go, felderatypes.go meanings by type,
// felderacast.go, felderaspread.go, felderatext.go, felderatime.go, felderaviews.go. SQLite: sqlite.go.
package conformance
