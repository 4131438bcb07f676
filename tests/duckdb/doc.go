// Package duckdb compares the naive interpreter and the engine with DuckDB: the random
// queries of tests/random that both dialects can say, over the data that a random
// history ends with. It is a module of its own, because DuckDB needs cgo. Open
// duckdb_test.go first.
package duckdb
