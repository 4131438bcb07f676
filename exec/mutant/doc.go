// Package mutant holds the switches of the deliberate bugs that the crash
// harness must find.
//
// Without the build tag "mutants" every switch is the constant false and the
// compiler removes the branch, so the product carries none of them. With the
// tag, one test binary turns the mutants on one after the other. The package
// is a leaf; the names belong to the code that asks for them.
package mutant
