package source

import "encoding/json"

// Compactor is a Source that knows which entries of its log a later run needs. Who
// compacts the log asks it with the entries of all micro-batches that will not be
// read again, oldest first, and keeps what it returns.
type Compactor interface {
	Compact(entries []json.RawMessage) ([]json.RawMessage, error)
}
