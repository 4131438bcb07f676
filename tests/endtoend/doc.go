// Package endtoend kills the real program, kill -9, between real services: what readers of a
// sink see is at all times a part of the batch answer, and in the end exactly that, nothing
// lost and nothing twice. The row ledger of every progress record is checked on the way.
//
//	go test -tags services ./tests/endtoend                            a short version, in CI
//	go test -tags services ./tests/endtoend -kills 100 -outages 20 -timeout 0 -v   the long one
//	… -run 'KillsAtRandom/kafka-kafka' -seed 7                         one pipeline
//
// A pipeline is a small value (pipelines_test.go): where the rows come from, how they get there,
// where they go, and how what is there is read. The query, its input and its answer are those
// of tests/soak. run_test.go runs and judges, kill_test.go kills. Open pipelines_test.go first.
package endtoend
