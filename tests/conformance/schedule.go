package conformance

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

// rowsPerTrigger is how many rows a source gives to a trigger under the schedule, 0 for all,
// where the tables of a file take so many changes in all: a file of many has larger triggers.
func (s schedule) rowsPerTrigger(fed int) int {
	switch s {
	case rowByRow:
		return 1 + fed/maxTriggers
	case withRestarts:
		return max(restartRows, fed/maxFileRestarts)
	}
	return 0
}

const (
	restartRows     = 7   // rows of a trigger between two restarts
	maxRestarts     = 5   // of a continuous query
	maxTriggers     = 300 // of a file that goes row by row
	maxFileRestarts = 40

	maxQueryTriggers = 6000 // of all continuous queries of a file, under one schedule
)
