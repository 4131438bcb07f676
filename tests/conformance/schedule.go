package conformance

import "fmt"

// schedule is how the changes of a file are cut into triggers.
type schedule uint8

const (
	asGiven schedule = iota
	rowByRow
	atOnce
	withRestarts
)

var schedules = []schedule{asGiven, rowByRow, atOnce, withRestarts}

// String names the schedule, as reports do.
func (s schedule) String() string {
	return [...]string{"as given", "row by row", "all at once", "with restarts"}[s]
}

// option is what the schedule adds to the options of each source.
func (s schedule) option() string {
	switch s {
	case rowByRow:
		return ", max_rows_per_trigger = 1"
	case withRestarts:
		return fmt.Sprintf(", max_rows_per_trigger = %d", restartRows)
	}
	return ""
}

const (
	restartRows = 7   // rows of a trigger between two restarts
	maxRestarts = 5   // of a continuous query
	maxTriggers = 300 // of a continuous query for a plain SELECT: with more, it is left out
)
