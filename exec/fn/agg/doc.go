// Package agg owns the aggregate functions: each is an fn.Aggregate that describes
// itself and makes columnar accumulators. It knows vectors and types, and neither
// groups' keys nor SQL text: who owns the group table calls it with group numbers.
// Open cells.go first, then count.go, the smallest aggregate.
//
// Every accumulator is exact: its state, and so its result, depends on the multiset
// of rows alone and not on their order, their division among workers, or rows that
// came and went (first, last and the lists follow the order of arrival instead).
package agg
