package engine

import "github.com/sqlstream/sqlstream/parser/ast"

// Activity is what a query does at the moment, in the words of Spark's
// StreamingQueryStatus.
type Activity struct {
	Message       string `json:"message"`
	DataAvailable bool   `json:"isDataAvailable"` // the last look found something to do
	TriggerActive bool   `json:"isTriggerActive"`
}

// what the query's goroutine was last seen to do.
type doing int32

const (
	beginning doing = iota
	busy
	hadData
	noData
)

// Activity tells what the query does at the moment.
func (q *Query) Activity() Activity {
	now := doing(q.activity.Load())
	a := Activity{DataAvailable: now == busy || now == hadData, TriggerActive: now == busy && !q.over()}
	t := q.Plan.Trigger
	switch {
	case q.over():
		return Activity{Message: "Ended"}
	case q.Status() == Paused && !a.TriggerActive:
		a.Message = "Paused"
	case now == beginning:
		a.Message = "Starting"
	case now == busy:
		a.Message = "Processing new data"
	case t != nil && (t.Kind == ast.TriggerEvery || t.Kind == ast.TriggerManual):
		a.Message = "Waiting for the next trigger"
	case now == noData:
		a.Message = "Waiting for data to arrive"
	default:
		a.Message = "Waiting for the next trigger"
	}
	return a
}
