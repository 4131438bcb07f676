package source

// Partitioned is a Source whose rows come in several partitions, in each of which time
// goes on by itself (Kafka). Each has a watermark, and may be idle; that of a scan is the
// least one of the partitions that are not idle.
type Partitioned interface {
	Source
	// Partitions names the partitions that the source read when the range was planned, those
	// without a row in it included. r is a planned or logged range.
	Partitions(r Range) ([]string, error)
}

// PartitionSplit is a Split of a Partitioned source.
type PartitionSplit interface {
	Split
	// Partition is one of Partitions of the range.
	Partition() string
}
