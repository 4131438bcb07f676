package source

import "encoding/json"

// Keeper is a Source that knows which entries of its log a later run needs. Who
// compacts the log asks it, from any goroutine, about entries of earlier batches.
type Keeper interface {
	Keep(entry json.RawMessage) bool
}

// Ignorer is a Source that leaves inputs out because of their age. The trigger loop asks
// it for the progress record.
type Ignorer interface {
	// Ignored counts them since the source was opened.
	Ignored() int64
}

// Backlogged is a Source that knows how many rows wait behind the range that it planned
// last. The trigger loop asks it for the progress record.
type Backlogged interface {
	Backlog() (rows int64, ok bool)
}
