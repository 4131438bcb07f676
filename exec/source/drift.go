package source

// Drift is a way in which parts of an input differ from the columns that are declared, or were
// found in the first of them, and that the source can do with.
type Drift struct {
	What  string `json:"difference"` // `column "c" BIGINT is not declared`
	First string `json:"firstFile"`
	Files int64  `json:"files"` // that have it, of those read since the source was opened
}

// Drifting is a Source whose parts carry a schema. The trigger loop asks it for the progress
// record.
type Drifting interface {
	// Drifts lists the differences in the order in which they were met; new ones come last.
	Drifts() []Drift
}
