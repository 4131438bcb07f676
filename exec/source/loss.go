package source

// Loss is a stretch of an input whose rows were gone before they were read, and without
// which the query went on.
type Loss struct {
	Partition string `json:"partition"`
	From      int64  `json:"from"`
	To        int64  `json:"to"` // the first that is there again; −1 = nobody knows
	Reason    string `json:"reason"`
}

// Lossy is a Source that may go on without rows, if its options say so. The trigger loop
// asks it for the progress record.
type Lossy interface {
	// Losses lists them since the source was opened; of very many the last.
	Losses() []Loss
}
