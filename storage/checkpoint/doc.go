// Package checkpoint keeps the visible directory of a query:
//
//	LOCK                    held while a process runs the query; its pid
//	metadata                id of the query, format version
//	epoch                   number of starts; every run has a higher one
//	meta/plan-<k>.json      pinned plans
//	offsets/N  commits/N    what batch N reads; that batch N is published
//	sources/<name>/N        what batch N took from a source, N.compact older ones
//	state/                  belongs to package storage/state
//
// It owns the names, the order in which files become durable, recovery's
// decision (plan.go) and the purge; it does not look into what sources, sinks
// and operators wrote. docs/formats/checkpoint.md describes every byte. Open
// checkpoint.go first, then writer.go and plan.go.
package checkpoint
