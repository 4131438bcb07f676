package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// systemTable is a table of what the engine knows of itself: columns as in DDL, and the
// rows as they are when a query begins to read.
type systemTable struct {
	columns []types.Column
	rows    func(e *Engine) [][]any
}

// systemTables lists the tables by name.
func systemTables() map[string]systemTable {
	text, count, at := types.Of(types.String), types.Of(types.Int64), types.Of(types.Timestamp)
	yes := types.Of(types.Bool)
	return map[string]systemTable{
		"sys.queries": {systemColumns("name", text, "id", text, "run_id", text, "status", text, "started", at,
			"last_batch", count, "error", text, "sql", text), (*Engine).queryRows},
		"sys.progress": {systemColumns("query", text, "batch", count, "at", at, "duration_ms", count, "input", count,
			"contributed", count, "filtered", count, "late", count, "bad", count, "errors", count, "output", count, "watermark", at), (*Engine).progressRows},
		"sys.late_rows": {systemColumns("query", text, "batch", count, "at", at, "operator", text, "id", text, "late", count,
			"watermark", at), (*Engine).lateRows},
		"sys.bad_rows": {systemColumns("query", text, "batch", count, "at", at, "bad", count), (*Engine).badRows},
		"sys.sources": {systemColumns("name", text, "kind", text, "connector", text, "format", text, "watermark", text,
			"finite", yes), (*Engine).sourceRows},
		"sys.sinks":     {systemColumns("name", text, "connector", text), (*Engine).sinkRows},
		"sys.functions": {systemColumns("name", text, "kind", text, "syntax", text, "description", text), (*Engine).functionRows},
		"sys.settings":  {systemColumns("name", text, "value", text, "description", text), (*Engine).settingRows},
	}
}

// systemNames lists the tables, for the one that is meant.
func systemNames() []string { return slices.Sorted(maps.Keys(systemTables())) }

// systemColumns makes columns of names and types.
func systemColumns(list ...any) (out []types.Column) {
	for i := 0; i < len(list); i += 2 {
		out = append(out, types.Column{Name: list[i].(string), Type: list[i+1].(types.Type)})
	}
	return out
}

// systemRelation is a system table as the planner sees it; nil if there is none of that
// name.
func systemRelation(name string) *catalog.Relation {
	t, ok := systemTables()[strings.ToLower(name)]
	if !ok {
		return nil
	}
	r := &catalog.Relation{Name: strings.ToLower(name), Connector: "system"}
	for _, c := range t.columns {
		r.Columns = append(r.Columns, catalog.Column{Column: c})
	}
	return r
}

func (e *Engine) systemRows(name string) (source.Source, error) {
	t := systemTables()[name]
	bs := builders(t.columns)
	for _, row := range t.rows(e) {
		appendRow(bs, row)
	}
	return &rowSource{name: name, batches: []*vec.Batch{batchOf(bs)}}, nil
}

func (e *Engine) queryRows() (rows [][]any) {
	for _, q := range e.Queries() {
		var last, failed any
		if p := q.LastProgress(); p != nil {
			last = p.BatchID
		}
		if err := q.Err(); err != nil {
			failed = err.Error()
		}
		rows = append(rows, []any{q.Name, q.ID, q.RunID(), string(q.Status()), q.Started.UnixMicro(), last, failed, q.SQL})
	}
	return rows
}

func (e *Engine) progressRows() (rows [][]any) {
	for _, q := range e.Queries() {
		for _, p := range q.RecentProgress() {
			r := p.Rows
			rows = append(rows, []any{q.Name, p.BatchID, instant(p.Timestamp), p.BatchDuration, r.Input, r.Contributed, r.Filtered,
				r.Late, r.Bad, r.Errors, outputRows(p), watermark(p)})
		}
	}
	return rows
}

// lateRows lists the triggers in which an operator dropped late rows.
func (e *Engine) lateRows() (rows [][]any) {
	for _, q := range e.Queries() {
		for _, p := range q.RecentProgress() {
			for _, o := range p.Operators {
				if o.Late > 0 {
					rows = append(rows, []any{q.Name, p.BatchID, instant(p.Timestamp), o.Operator, o.ID, o.Late, watermark(p)})
				}
			}
		}
	}
	return rows
}

// badRows lists the triggers in which rows were skipped or diverted.
func (e *Engine) badRows() (rows [][]any) {
	for _, q := range e.Queries() {
		for _, p := range q.RecentProgress() {
			if p.Rows.Bad > 0 {
				rows = append(rows, []any{q.Name, p.BatchID, instant(p.Timestamp), p.Rows.Bad})
			}
		}
	}
	return rows
}

// instant is a time of a progress record in µs.
func instant(text string) any {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return t.UnixMicro()
}

func watermark(p *trigger.Progress) any {
	if p.Watermark == nil {
		return nil
	}
	return *p.Watermark
}

// outputRows is what all sinks of a query were given.
func outputRows(p *trigger.Progress) int64 {
	if p.Sinks == nil {
		return p.Sink.OutputRows
	}
	n := int64(0)
	for _, s := range p.Sinks {
		n += s.OutputRows
	}
	return n
}

// sourceRows lists sources and tables.
func (e *Engine) sourceRows() (rows [][]any) {
	for _, o := range e.cat.Objects() {
		r, ok := o.(*catalog.Relation)
		if !ok {
			continue
		}
		var format, delay any
		if r.Format != "" {
			format = r.Format
		}
		if w := r.Watermark; w != nil {
			delay = r.Columns[w.Column].Name + " - " + w.Delay.String()
		}
		rows = append(rows, []any{r.Name, kindWord(r.ObjectKind()), r.Connector, format, delay, !r.Streaming || e.opt.Batch})
	}
	return rows
}

func (e *Engine) sinkRows() (rows [][]any) {
	for _, o := range e.cat.Objects() {
		if s, ok := o.(*catalog.Sink); ok {
			rows = append(rows, []any{s.Name, s.Connector})
		}
	}
	return rows
}

func (e *Engine) functionRows() [][]any { return anyRows(e.functions("")) }

func (e *Engine) settingRows() [][]any { return anyRows(e.settings("")) }

func anyRows(rows [][]string) [][]any {
	out := make([][]any, len(rows))
	for i, r := range rows {
		for _, x := range r {
			out[i] = append(out[i], x)
		}
	}
	return out
}

// tableFunction is a table function that reads what the engine keeps: state('query',
// 'operator'), the rows that an operator keeps, and checkpoint('path').
func (e *Engine) tableFunction(name string, args []string, atBatch int64) (*catalog.Relation, error) {
	switch {
	case name == "checkpoint" && len(args) == 1 && atBatch < 0:
		return checkpointRelation(args[0]), nil
	case name == "checkpoint":
		return nil, fmt.Errorf("checkpoint takes the directory of a checkpoint: checkpoint('path')")
	case name != "state":
		return nil, nil
	case len(args) != 2:
		return nil, fmt.Errorf("state takes the names of a query and of one of its operators: state('query', 'operator')")
	case atBatch >= 0:
		return nil, fmt.Errorf("state(…) AT BATCH is not supported yet: it shows the state as it is")
	}
	for _, p := range e.planned {
		if p.Name == args[0] {
			return plannedState(p, args[0], args[1])
		}
	}
	_, op, err := e.operator(args[0], args[1])
	if err != nil {
		return nil, err
	}
	return stateRelation(args[0], op.ID, op.Columns()), nil
}

func stateRelation(query, id string, cols []types.Column) *catalog.Relation {
	r := &catalog.Relation{Name: "state of " + query + ", " + id, Connector: "state",
		Options: []option.Value{{Name: "query", Text: query}, {Name: "operator", Text: id}}}
	for _, c := range cols {
		r.Columns = append(r.Columns, catalog.Column{Column: c})
	}
	return r
}

// plannedState is state(…) of a query that a script, which is only checked, would start.
func plannedState(p *physical.Query, query, name string) (*catalog.Relation, error) {
	for _, n := range p.Nodes() {
		o, isOutput := n.(*physical.Output)
		if !n.Stateful() && !(isOutput && o.Target == physical.ToView) {
			continue
		}
		if n.ID() == name || strings.EqualFold(strings.TrimPrefix(fmt.Sprintf("%T", n), "*physical."), name) ||
			len(name) >= 4 && strings.HasPrefix(n.ID(), name) {
			return stateRelation(query, n.ID(), n.Props().Columns), nil
		}
	}
	return nil, fmt.Errorf("query %q has no operator named %q", query, name)
}

// operator finds an operator by its id, the beginning of it that EXPLAIN prints, or its
// kind if there is one of it.
func (e *Engine) operator(query, name string) (*Query, *build.Op, error) {
	q := e.Query(query)
	if q == nil {
		q = e.viewQuery(query)
	}
	if q == nil {
		return nil, nil, fmt.Errorf("there is no query named %q", query)
	}
	var found []*build.Op
	var names []string
	for _, op := range q.running().Graph.Ops {
		names = append(names, fmt.Sprintf("%s %.6s", op.Name, op.ID))
		if op.ID == name || strings.EqualFold(op.Name, name) || len(name) >= 4 && strings.HasPrefix(op.ID, name) {
			found = append(found, op)
		}
	}
	switch {
	case len(names) == 0:
		return nil, nil, fmt.Errorf("query %q keeps no state", query)
	case len(found) != 1:
		return nil, nil, fmt.Errorf("query %q has %d operators named %q; it has %s", query, len(found), name, strings.Join(names, ", "))
	}
	return q, found[0], nil
}

// stateRows reads what an operator keeps, at a trigger boundary.
func (e *Engine) stateRows(ctx context.Context, r *catalog.Relation) (source.Source, error) {
	q, op, err := e.operator(r.Options[0].Text, r.Options[1].Text)
	if err != nil {
		return nil, err
	}
	kept, ok := op.Operator.(stateful.Readable)
	if !ok {
		return nil, fmt.Errorf("the state of %s cannot be shown as rows", op.Text())
	}
	var rows []*vec.Batch
	err = q.read(ctx, func() error {
		return kept.Rows(e.newCtx(zoneOf(q.Plan.Zone), q.Plan.NullOnError), func(b *vec.Batch) error {
			rows = append(rows, b.Clone())
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("the state of %s: %w", op.Text(), err)
	}
	return &rowSource{name: r.Name, batches: rows}, nil
}
