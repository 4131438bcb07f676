// Package crash proves the durability of the whole path: the real engine runs queries
// from files (or memory) to sinks on a file system in memory that forgets what a crash
// may forget. Every file operation is a crash point, and every fault hits every
// operation; each life of the process draws other batch boundaries for whatever its
// predecessor left open. What the sinks hold in the end is compared with a naive
// model that is computed batch by batch from what the checkpoint says was taken.
//
// It holds Rules R1, R2, R3, R8 of docs/semantics/recovery.md.
//
// workload.go has the queries, life.go runs one life of a process, model.go computes
// what must come out, check.go reads what did. Open workload.go first.
package crash
