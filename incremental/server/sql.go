package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Statements is the body of POST /v1/sql. The text alone may be sent as application/sql.
type Statements struct {
	SQL     string `json:"sql" doc:"one or more statements"`
	MaxRows int64  `json:"max_rows,omitempty" doc:"the most rows of each result; default and limit 10000, for JSON lines none"`
	Timeout int64  `json:"timeout_ms,omitempty" doc:"for all statements together, in ms; default 30000, limit 600000"`
	// Parameters are nil, []any or map[string]any, of what JSON has but objects.
	Parameters any `json:"parameters,omitempty" doc:"the values of parameters: an array for ? and $1, which count from 1 in each statement, or an object for :name; null, booleans, numbers, strings and arrays"`
}

// Results are what the statements gave, in their order.
type Results struct {
	Results []*Result `json:"results"`
}

// Result is what a statement gave.
type Result struct {
	Message   string            `json:"message,omitempty" doc:"what was done"`
	Query     string            `json:"query,omitempty" doc:"id of the query that was started"`
	Plan      string            `json:"plan,omitempty" doc:"of EXPLAIN and SHOW CREATE"`
	Columns   []Column          `json:"columns,omitempty"`
	Rows      []json.RawMessage `json:"rows,omitempty" doc:"arrays with a value for each column"`
	Truncated bool              `json:"truncated,omitempty" doc:"there were more rows than the limit allows"`
	Notes     []*Error          `json:"notes,omitempty" doc:"warnings and remarks"`
}

// Column is a column of a result.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type" doc:"as in SQL: BIGINT, TIMESTAMP, ARRAY<STRING>"`
}

func sqlRoutes() []route {
	return []route{{Method: "POST", Path: "/v1/sql", Name: "runSQL", Role: Owner,
		Doc: "Runs statements one after another and gives what each came to; the first that fails ends them. " +
			"A SELECT must end by itself: over tables, materialised views, memory sinks and system tables. " +
			"A statement that starts a query does not wait for it. Settings are those of the whole program.",
		Params: []param{{"format", "query", "string", "The same as the header Accept.", []string{"json", "jsonl"}}},
		Body:   &content{Shape: Statements{}, Also: map[string]string{"application/sql": "The text alone."}},
		Reply: content{Shape: Results{}, Also: map[string]string{jsonLines: "Rows as they come: for each statement an object with " +
			"columns, message or plan, then a line with an array for each row; an object with error where it ends early; last an object with end."}},
		Errors: []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusGatewayTimeout},
		serve:  (*Server).sql}}
}

// statements reads the body.
func (c *call) statements() (st Statements, err error) {
	kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && kind != "application/sql" {
		return st, errorf(http.StatusUnsupportedMediaType, "wrong_type", "the body is application/json or application/sql").
			hint(`send {"sql": "…"} with the header Content-Type: application/json, or the statements alone with application/sql`)
	}
	raw, err := io.ReadAll(c.r.Body)
	if err != nil {
		if e := errorOf(err, nil); e.Code == "too_large" {
			return st, e
		}
		return st, errorf(http.StatusBadRequest, "bad_body", "the body cannot be read to its end")
	}
	if kind == "application/sql" {
		st.SQL = string(raw)
		return st, st.check()
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(&st); err != nil || d.More() {
		e := errorf(http.StatusBadRequest, "bad_body", "the body is no object with sql, parameters, max_rows and timeout_ms")
		if _, name, ok := strings.Cut(fmt.Sprint(err), "unknown field "); ok {
			e.Message += ": it has " + name + " too"
		}
		return st, e
	}
	return st, st.check()
}

func (st *Statements) check() error {
	if st.MaxRows < 0 || st.Timeout < 0 || strings.TrimSpace(st.SQL) == "" {
		return errorf(http.StatusBadRequest, "bad_body", "sql must not be empty, max_rows and timeout_ms not below 0")
	}
	return nil
}

// sql is POST /v1/sql.
func (s *Server) sql(c *call) error {
	if s.policy() == SQLOff {
		return errorf(http.StatusForbidden, "sql_off", "this server runs no SQL")
	}
	st, err := c.statements()
	if err != nil {
		return err
	}
	src := diag.Source{Text: st.SQL}
	list, err := parser.Parse(src)
	if err != nil {
		return errorOf(err, &src)
	}
	if s.policy() == SQLRead {
		if err := onlyReads(list); err != nil {
			return errorOf(err, &src)
		}
	}
	values, err := st.values(list)
	if err != nil {
		return err
	}
	ctx, cancel := s.within(c, st.Timeout)
	defer cancel()
	ctx, off := s.untilClosed(ctx)
	defer off()
	run := &running{s: s, src: src, zone: s.opt.Engine.Zone(), most: st.MaxRows, values: values, ctx: ctx}
	if c.lines() {
		return run.stream(c, list)
	}
	return run.document(c, list)
}

// untilClosed ends a context with the server too.
func (s *Server) untilClosed(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ended, cancel)
	return ctx, func() { stop(); cancel() }
}

// onlyReads refuses statements that change something.
func onlyReads(list []ast.Statement) error {
	for _, st := range list {
		switch st := st.(type) {
		case *ast.QueryStmt, *ast.Show, *ast.Describe, *ast.Explain:
		case *ast.Set:
			if st.Value == nil {
				continue
			}
			return changes(st)
		default:
			return changes(st)
		}
	}
	return nil
}

func changes(st ast.Statement) error {
	return diag.NewError(nil, diag.Errorf(diag.NotSupported, st.Pos(), "this server only reads").
		WithHint("it was started with --sql read: SELECT, SHOW, DESCRIBE and EXPLAIN run"))
}

// running is the statements of one request.
type running struct {
	s    *Server
	ctx  context.Context
	src  diag.Source
	zone *time.Location
	most int64 // rows of a result; 0 = the server's limit in a document, none in lines
	// values are those of parameters.
	values engine.Literals
}

// one runs a statement up to its rows.
func (r *running) one(st ast.Statement) (*engine.Result, *Result, error) {
	var res *engine.Result
	src, bound, err := r.values.Bind(r.src, st)
	if err != nil {
		e := r.wrong(st, err)
		e.Hint = `send it beside sql: "parameters": [value, …], or {"name": value, …} for :name`
		return nil, nil, e
	}
	if q, ok := bound.(*ast.QueryStmt); ok {
		res, err = r.s.opt.Engine.Select(r.ctx, src, q)
	} else {
		res, err = r.s.opt.Engine.Statement(r.ctx, src, bound)
	}
	if err != nil {
		return nil, nil, r.placed(st, bound, (&running{ctx: r.ctx, src: src}).wrong(bound, err))
	}
	out := &Result{Message: res.Message, Plan: res.Plan}
	if res.Query != nil {
		out.Query = res.Query.ID
	}
	for _, d := range res.Notes {
		out.Notes = append(out.Notes, r.placed(st, bound, ofDiagnostic(d, &src)))
	}
	for _, col := range res.Columns {
		out.Columns = append(out.Columns, Column{Name: col.Name, Type: col.Type.String()})
	}
	return res, out, nil
}

// wrong is the error of a statement; one without a place gets that of the statement.
func (r *running) wrong(st ast.Statement, err error) *Error {
	if r.ctx.Err() != nil {
		err = context.Cause(r.ctx)
	}
	e := *errorOf(err, &r.src)
	if e.Position == nil {
		return r.at(st, &e)
	}
	return &e
}

// placed is an error of a statement as it ran; with parameters that was another text than
// was sent, so that its place is the whole statement.
func (r *running) placed(st, bound ast.Statement, e *Error) *Error {
	if bound == st {
		return e
	}
	return r.at(st, e)
}

// at is an error whose place is a whole statement.
func (r *running) at(st ast.Statement, e *Error) *Error {
	out := *e
	if at := st.Pos(); !at.IsZero() {
		line, column := r.src.Position(at.Start)
		out.Position = &Position{Line: line, Column: column, Offset: at.Start, Length: at.End - at.Start}
	}
	return &out
}

// document answers with all results at once.
func (r *running) document(c *call, list []ast.Statement) error {
	lim := r.s.opt.Limits
	if r.most == 0 || r.most > lim.Rows {
		r.most = lim.Rows
	}
	all := Results{Results: []*Result{}}
	left := lim.Bytes
	for _, st := range list {
		res, out, err := r.one(st)
		if err != nil {
			return err
		}
		if res.Rows != nil {
			if err := r.collect(res, out, &left); err != nil {
				return r.wrong(st, err)
			}
		}
		all.Results = append(all.Results, out)
	}
	writeJSON(c.w, http.StatusOK, all)
	return nil
}

// errEnough ends a result that has as many rows as it may.
var errEnough = errorf(http.StatusOK, "enough", "enough rows")

func (r *running) collect(res *engine.Result, out *Result, left *int64) error {
	out.Rows = []json.RawMessage{}
	err := r.rows(res, func(row []byte) error {
		if int64(len(out.Rows)) == r.most && !mutant.On("results have no limit") || *left < int64(len(row)) {
			out.Truncated = true
			return errEnough
		}
		*left -= int64(len(row))
		out.Rows = append(out.Rows, append(json.RawMessage(nil), row...))
		return nil
	})
	if out.Truncated {
		return nil
	}
	return err
}

// rows gives each row of a result as a JSON array, which must not be kept.
func (r *running) rows(res *engine.Result, take func([]byte) error) error {
	var buf []byte
	return res.Rows(r.ctx, func(b *vec.Batch) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			buf = appendRow(buf[:0], b.Cols, row, r.zone)
			for range b.Weight(row) {
				if err := take(buf); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func appendRow(dst []byte, cols []*vec.Vector, row int, zone *time.Location) []byte {
	dst = append(dst, '[')
	for i, c := range cols {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = vec.AppendJSON(dst, c, row, zone)
	}
	return append(dst, ']')
}

// stream answers with lines, each as soon as it is there.
func (r *running) stream(c *call, list []ast.Statement) error {
	e := json.NewEncoder(c.w)
	c.w.Header().Set("Content-Type", jsonLines)
	for _, st := range list {
		res, out, err := r.one(st)
		if err == nil {
			if err = e.Encode(out); err == nil && res.Rows != nil {
				err = r.pass(c, res, out)
			}
		}
		if err != nil {
			if c.w.status == 0 {
				return err // nothing was sent: a plain answer
			}
			return e.Encode(map[string]*Error{"error": r.wrong(st, err)})
		}
		c.w.Flush()
	}
	return e.Encode(map[string]bool{"end": true})
}

// pass sends the rows of a result.
func (r *running) pass(c *call, res *engine.Result, out *Result) error {
	n := int64(0)
	err := r.rows(res, func(row []byte) error {
		if r.most > 0 && n == r.most {
			out.Truncated = true
			return errEnough
		}
		n++
		_, err := c.w.Write(append(row, '\n'))
		return err
	})
	if out.Truncated {
		return json.NewEncoder(c.w).Encode(map[string]bool{"truncated": true})
	}
	return err
}
