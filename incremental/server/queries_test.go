package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/engine"
)

func TestQueriesAreListedAndShown(t *testing.T) {
	w := newWorld(t)
	var list Queries
	w.gives(200, &list, "GET /v1/queries", "")
	if len(list.Queries) != 2 || list.Queries[0].Name != "out" || list.Queries[1].Name != "per" {
		t.Fatalf("%+v", list)
	}
	w.gives(200, &list, "GET /v1/queries?status=failed", "")
	if len(list.Queries) != 0 {
		t.Errorf("%+v", list)
	}
	w.run("INSERT INTO clicks VALUES ('ana', 1), ('bo', 2)")
	var done Done
	w.gives(200, &done, "POST /v1/queries/out/trigger", "")
	if done.Progress == nil || done.Progress.Rows.Contributed != 2 {
		t.Fatalf("%+v", done.Progress)
	}
	var q Query
	w.gives(200, &q, "GET /v1/queries/out", "")
	if q.Progress.BatchID != 0 || !strings.HasPrefix(q.SQL, "INSERT INTO out") || q.Outputs[0].Mode != "append" {
		t.Errorf("%+v", q)
	}
	var byID Query
	w.gives(200, &byID, "GET /v1/queries/"+q.ID, "")
	if byID.Name != "out" {
		t.Errorf("%+v", byID)
	}
	var plan Plan
	w.gives(200, &plan, "GET /v1/queries/out/explain", "")
	if !strings.Contains(plan.Plan, "Scan #1  clicks") {
		t.Error(plan.Plan)
	}
	w.refused(404, "no_such_query", "GET /v1/queries/nobody", "")
}

func TestCommands(t *testing.T) {
	w := newWorld(t)
	var d Done
	step := func(verb string, want engine.Status) {
		t.Helper()
		w.gives(200, &d, "POST /v1/queries/per/"+verb, "")
		if d.Query.Status != want {
			t.Errorf("%s: %+v", verb, d.Query)
		}
	}
	step("pause", engine.Paused)
	w.refused(409, "not_possible", "POST /v1/queries/per/trigger", "")
	step("resume", engine.Running)
	w.refused(409, "not_possible", "POST /v1/queries/per/start", "")
	w.refused(504, "timeout", "POST /v1/queries/per/await?timeout_ms=1", "")
	step("stop", engine.Finished)
	w.refused(409, "query_ended", "POST /v1/queries/per/trigger", "")
	step("await", engine.Finished)
	step("start", engine.Running)
	w.refused(400, "bad_parameter", "POST /v1/queries/per/await?timeout_ms=-5", "")
	w.refused(405, "wrong_method", "GET /v1/queries/per/stop", "")
}

func TestProgress(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.run("INSERT INTO clicks VALUES ('ana', 1); RUN TRIGGER")
	}
	var r Records
	w.gives(200, &r, "GET /v1/queries/per/progress?last=2", "")
	if len(r.Progress) != 2 || r.Progress[1].BatchID != 2 {
		t.Fatalf("%+v", r)
	}
	rec := w.do("GET /v1/queries/per/progress", "", "Accept: "+jsonLines)
	if n := strings.Count(rec.Body.String(), "\n"); n != 3 || rec.Header().Get("Content-Type") != jsonLines {
		t.Errorf("%d lines: %s", n, rec.Body)
	}
	w.gives(200, nil, "POST /v1/queries/per/stop", "")
	rec = w.do("GET /v1/queries/per/progress?follow=true&last=1", "")
	if n := strings.Count(rec.Body.String(), "\n"); n != 1 || !strings.Contains(rec.Body.String(), `"batchId":2`) {
		t.Errorf("%d lines: %s", n, rec.Body)
	}
	w.refused(400, "bad_parameter", "GET /v1/queries/per/progress?last=many", "")
	w.refused(400, "bad_parameter", "GET /v1/queries?status=done", "")
}

func TestReadiness(t *testing.T) {
	why := "the scripts have not been run yet"
	w := newWorld(t, func(o *Options) { o.Ready = func() string { return why } })
	var h Health
	w.gives(200, &h, "GET /healthz", "")
	w.gives(503, &h, "GET /readyz", "")
	if h.Reason != why {
		t.Errorf("%+v", h)
	}
	why = ""
	w.gives(200, &h, "GET /readyz", "")
	w.run(`CREATE SINK f WITH (connector = 'memory'); INSERT INTO f SELECT 1 / (n - n) AS x FROM clicks TRIGGER MANUAL;
		INSERT INTO clicks VALUES ('x', 1)`)
	w.gives(422, nil, "POST /v1/queries/f/trigger", "")
	w.gives(503, &h, "GET /readyz", "")
	if len(h.Queries) != 1 || h.Queries[0] != "f" {
		t.Errorf("%+v", h)
	}
}

func TestMetricsPage(t *testing.T) {
	w := newWorld(t)
	rec := w.do("GET /metrics", "")
	if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), `sqlstream_query_status{query="per",status="running"} 1`) {
		t.Errorf("%d\n%s", rec.Code, rec.Body)
	}
}
