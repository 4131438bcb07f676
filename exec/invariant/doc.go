// Package invariant holds checks that compile to nothing in a release build.
//
// With the build tag "invariants", which CI always sets, a broken invariant
// panics; the query boundary recovers and fails that query: limit.go has the
// error. The package is a leaf: it knows nothing of what it checks.
package invariant
