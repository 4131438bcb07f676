package source

// Acknowledger is a Source whose senders wait until their rows cannot be lost. The
// trigger loop tells it.
type Acknowledger interface {
	Source
	// Durable is called when the range and its entries, and what the batch made of them,
	// survive a crash; without a checkpoint, when the sinks have the batch.
	Durable(r Range) error
}
