package source

import "encoding/json"

// Keeper is a Source that knows which entries of its log a later run needs. Who
// compacts the log asks it, from any goroutine, about entries of earlier batches.
type Keeper interface {
	Keep(entry json.RawMessage) bool
}
