package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// Query describes a query.
type Query struct {
	Name      string            `json:"name"`
	ID        string            `json:"id" doc:"kept by the checkpoint over restarts"`
	RunID     string            `json:"run_id" doc:"new at each start"`
	Status    engine.Status     `json:"status" doc:"running, paused, finished or failed"`
	Activity  engine.Activity   `json:"activity" doc:"what it does at the moment"`
	Started   time.Time         `json:"started"`
	Error     string            `json:"error,omitempty" doc:"why it failed"`
	LastBatch *int64            `json:"last_batch" doc:"number of the last micro-batch of this run; null before the first"`
	Watermark string            `json:"watermark,omitempty" doc:"the event time that it has reached"`
	Outputs   []Output          `json:"outputs"`
	SQL       string            `json:"sql,omitempty" doc:"the statement, without secrets; only of one query"`
	Progress  *trigger.Progress `json:"progress,omitempty" doc:"the last progress record; only of one query"`
}

// Output is where rows of a query go.
type Output struct {
	Name string `json:"name"`
	Mode string `json:"mode" doc:"append, update, complete or changelog"`
}

// Queries is a list of queries.
type Queries struct {
	Queries []Query `json:"queries"`
}

// Records are progress records, oldest first.
type Records struct {
	Progress []*trigger.Progress `json:"progress"`
}

// Plan is a plan as EXPLAIN prints it.
type Plan struct {
	Plan string `json:"plan"`
}

// Done is what a command came to.
type Done struct {
	Query    Query             `json:"query"`
	Progress *trigger.Progress `json:"progress,omitempty" doc:"of the trigger that ran; absent if there was nothing to do"`
}

func queryRoutes() []route {
	name := param{"query", "path", "string", "Name or id of the query.", nil}
	gone := []int{http.StatusNotFound}
	conflict := []int{http.StatusNotFound, http.StatusConflict}
	wait := param{"timeout_ms", "query", "integer", "How long to wait, in ms; default 30000.", nil}
	return []route{
		{Method: "GET", Path: "/v1/queries", Name: "listQueries", Role: Reader, Doc: "Lists the queries, in the order in which they were started.",
			Params: []param{{"status", "query", "string", "Only queries of this status.", statusNames()}},
			Reply:  content{Shape: Queries{}}, serve: (*Server).listQueries},
		{Method: "GET", Path: "/v1/queries/{query}", Name: "getQuery", Role: Reader, Doc: "Shows a query with its last progress record.",
			Params: []param{name}, Reply: content{Shape: Query{}}, Errors: gone, serve: (*Server).getQuery},
		{Method: "GET", Path: "/v1/queries/{query}/progress", Name: "getProgress", Role: Reader,
			Doc: "Shows the last progress records, 100 at most, oldest first; or follows them as they come.",
			Params: []param{name, {"last", "query", "integer", "How many records; default all that are kept.", nil},
				{"follow", "query", "boolean", "Goes on with each new record until the query ends, as JSON lines.", nil},
				{"format", "query", "string", "The same as the header Accept.", []string{"json", "jsonl"}}},
			Reply: content{Shape: Records{}, Also: map[string]string{jsonLines: "A progress record a line."}}, Errors: gone, serve: (*Server).getProgress},
		{Method: "GET", Path: "/v1/queries/{query}/explain", Name: "explainQuery", Role: Reader, Doc: "Shows the plan of a query.",
			Params: []param{name}, Reply: content{Shape: Plan{}}, Errors: gone, serve: (*Server).explainQuery},
		command("stop", "Ends a query after the trigger under way, and waits for that.", conflict, name, wait),
		command("start", "Runs a query that has ended once more, on its checkpoint.", conflict, name),
		command("pause", "Holds a query after the trigger under way.", conflict, name),
		command("resume", "Lets a paused query go on.", conflict, name),
		command("trigger", "Runs a trigger now, whatever the TRIGGER clause says, and waits for it.", conflict, name, wait),
		command("await", "Waits until a query ends; an error of the query is the answer's.", conflict, name, wait),
	}
}

// command is a route that does something with a query.
func command(verb, doc string, fails []int, params ...param) route {
	return route{Method: "POST", Path: "/v1/queries/{query}/" + verb, Name: verb + "Query", Role: Owner, Doc: doc, Params: params,
		Reply: content{Shape: Done{}}, Errors: fails, serve: func(s *Server, c *call) error { return s.command(c, verb) }}
}

func statusNames() (out []string) {
	for _, st := range engine.Statuses() {
		out = append(out, string(st))
	}
	return out
}

func (s *Server) listQueries(c *call) error {
	want := c.r.URL.Query().Get("status")
	if names := statusNames(); want != "" && !slices.Contains(names, want) {
		return errorf(http.StatusBadRequest, "bad_parameter", "status is one of %s", strings.Join(names, ", "))
	}
	out := Queries{Queries: []Query{}}
	for _, q := range s.latest() {
		if d := describe(q); want == "" || string(d.Status) == want {
			out.Queries = append(out.Queries, d)
		}
	}
	writeJSON(c.w, http.StatusOK, out)
	return nil
}

// describe is a query as lists show it.
func describe(q *engine.Query) Query {
	d := Query{Name: q.Name, ID: q.ID, RunID: q.RunID(), Status: q.Status(), Activity: q.Activity(), Started: q.Started.UTC(), Outputs: []Output{}}
	if err := q.Err(); err != nil {
		d.Error = oneLine(err)
	}
	if p := q.LastProgress(); p != nil {
		d.LastBatch = &p.BatchID
		if p.EventTime != nil {
			d.Watermark = p.EventTime.Watermark
		}
	}
	for _, o := range q.Plan.Outputs {
		d.Outputs = append(d.Outputs, Output{Name: o.Name, Mode: o.Mode.String()})
	}
	return d
}

// named finds the query that the path names.
func (s *Server) named(c *call) (*engine.Query, error) {
	name := c.r.PathValue("query")
	if q := s.opt.Engine.Query(name); q != nil {
		return q, nil
	}
	return nil, errorf(http.StatusNotFound, "no_such_query", "there is no query of that name or id").hint("GET /v1/queries lists them")
}

func (s *Server) getQuery(c *call) error {
	q, err := s.named(c)
	if err != nil {
		return err
	}
	d := describe(q)
	d.SQL, d.Progress = q.SQL, q.LastProgress()
	writeJSON(c.w, http.StatusOK, d)
	return nil
}

func (s *Server) explainQuery(c *call) error {
	q, err := s.named(c)
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, Plan{Plan: q.Explain()})
	return nil
}

const jsonLines = "application/x-ndjson"

// lines reports that the client wants JSON lines.
func (c *call) lines() bool {
	switch c.r.URL.Query().Get("format") {
	case "jsonl":
		return true
	case "json":
		return false
	}
	return strings.Contains(c.r.Header.Get("Accept"), jsonLines)
}

// number reads a parameter of the query, 0 if it is not there.
func (c *call) number(name string) (int64, error) {
	text := c.r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, errorf(http.StatusBadRequest, "bad_parameter", "%s is a whole number from 1", name)
	}
	return n, nil
}

func (s *Server) getProgress(c *call) error {
	q, err := s.named(c)
	if err != nil {
		return err
	}
	last, err := c.number("last")
	if err != nil {
		return err
	}
	if c.r.URL.Query().Get("follow") == "true" {
		return s.follow(c, q, last)
	}
	list := lastOf(q.RecentProgress(), last)
	if !c.lines() {
		writeJSON(c.w, http.StatusOK, Records{Progress: append([]*trigger.Progress{}, list...)})
		return nil
	}
	c.w.Header().Set("Content-Type", jsonLines)
	return writeRecords(c.w, list)
}

func lastOf(list []*trigger.Progress, n int64) []*trigger.Progress {
	if n > 0 && n < int64(len(list)) {
		return list[int64(len(list))-n:]
	}
	return list
}

func writeRecords(w http.ResponseWriter, list []*trigger.Progress) error {
	e := json.NewEncoder(w)
	for _, p := range list {
		if err := e.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// within bounds how long a request may take.
func (s *Server) within(c *call, ms int64) (context.Context, context.CancelFunc) {
	d := s.opt.Limits.QueryTime
	if ms > 0 {
		d = time.Duration(min(ms, s.opt.Limits.MaxTime.Milliseconds())) * time.Millisecond // the product of any number might be negative
	}
	c.w.limit = max(c.w.limit, d+s.opt.Limits.WriteTime)
	c.w.extend()
	return context.WithTimeout(c.r.Context(), d)
}

func (s *Server) command(c *call, verb string) error {
	q, err := s.named(c)
	if err != nil {
		return err
	}
	ms, err := c.number("timeout_ms")
	if err != nil {
		return err
	}
	ctx, cancel := s.within(c, ms)
	defer cancel()
	var p *trigger.Progress
	switch verb {
	case "stop":
		q.RequestStop()
		err = q.Await(ctx)
	case "await":
		err = q.Await(ctx)
	case "pause":
		q.Pause()
	case "resume":
		q.Resume()
	case "trigger":
		p, err = q.Poke(ctx)
	case "start":
		var again *engine.Query
		if again, err = s.opt.Engine.Again(ctx, q); err == nil {
			q = again
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errorf(http.StatusGatewayTimeout, "timeout", "query %q is still %s", q.Name, q.Status()).hint("ask for more with timeout_ms")
	}
	if err != nil {
		return commandError(q, err)
	}
	writeJSON(c.w, http.StatusOK, Done{Query: describe(q), Progress: p})
	return nil
}

// commandError is what a query answered to a command: that it has failed, or that its
// state does not allow it.
func commandError(q *engine.Query, err error) error {
	if e := errorOf(err, nil); e.Code != "failed" {
		return e
	}
	if q.Err() != nil {
		return errorf(http.StatusUnprocessableEntity, "query_failed", "%s", oneLine(err))
	}
	return errorf(http.StatusConflict, "not_possible", "%s", oneLine(err))
}
