package source

// Partitioned is a Source whose rows come in several partitions, in each of which time
// goes on by itself (Kafka). Each has a watermark, and may be idle; that of a scan is the
// least one of the partitions that are not idle.
type Partitioned interface {
	Source
	// Partitions lists the partitions that the source read when the range was planned, those
	// without a row in it included, ordered by name. r is a planned or logged range.
	Partitions(r Range) ([]Partition, error)
}

// Partition is one of a range.
type Partition struct {
	Name string
	// Active: the range has rows of it, or leaves some for later. Silence counts from the last
	// range in which it was.
	Active bool
}

// PartitionSplit is a Split of a Partitioned source.
type PartitionSplit interface {
	Split
	// Partition is the name of one of Partitions of the range.
	Partition() string
}
