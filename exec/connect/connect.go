// Package connect is the place of the connectors to outside systems, one directory each,
// with the source and the sink that belong to it: they share a client and options. It
// holds no code itself, and the systems below it do not know each other. Small sources
// and sinks without an outside system live below exec/source and exec/sink.
package connect
