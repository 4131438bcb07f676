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
// The package owns the readers (slt.go, steps.go), the map of dialects (dialect.go,
// order.go), what a table holds (table.go, dml.go) and the verdicts (rules.go, which
// says what is not applicable; explained.go; report.go). It must not know how the engine
// works: it uses engine.Engine, as programs do. Open run.go first.
package conformance
