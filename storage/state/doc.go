// Package state keeps the durable state of a query: a log of what each batch
// changed, and sorted runs that a background merge makes of it.
//
// The live state is in memory and belongs to the operators. This package
// sees only bytes: per operator a map from key to value. One Append and one
// fdatasync make batch N durable: its changes, its metadata and the result
// that the sink is about to publish (PREPARED(N)). Open gives the last such
// batch back; Load gives an operator its entries.
//
// It owns every byte below <checkpoint>/state, described in
// docs/formats/state-log.md and docs/formats/state-runs.md, and knows nothing
// of SQL types, offsets or sinks. Open store.go first, then append.go,
// recover.go, load.go and compact.go.
package state
