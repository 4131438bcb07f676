// Package services tests the connectors against real services on the loopback interface:
//
//	go test -tags services ./tests/services -run Postgres
//
// The scripts that start them are in SQLSTREAM_SERVICES_DIR, by default services in the
// folder shared beside the project. Tests share what is running, under names of their
// own; a test that stops a service has its own copy. Open start.go first; then one file a
// service.
package services
