package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/state"
)

// Target overrides where the rows of a query go and how it runs: for programs that take
// the rows themselves. The zero value overrides nothing.
type Target struct {
	Sink sink.Sink // of the query's only output
	// To, if set, is opened for the query's only output.
	To *sink.Connector
	// Checkpoint is the directory; "" = as the statement says, or none for an ephemeral sink.
	Checkpoint string
	Stdout     io.Writer

	dir, id string // the checkpoint and the id of a query that is started again
}

// opening is a query on its way from plan to running. What it has opened is closed
// again if a later part fails.
type opening struct {
	e    *Engine
	plan *physical.Query
	sql  string
	tgt  Target
	zone *time.Location
	dir  string // of the checkpoint; "" = none
	cfg  trigger.Config
	undo []io.Closer
}

// launch opens the parts of a planned query, recovers its checkpoint and starts it.
func (e *Engine) launch(ctx context.Context, p *physical.Query, sql string, tgt Target) (*Query, error) {
	if p.Name != "" {
		if err := e.free(p.Name); err != nil {
			return nil, err
		}
	}
	if err := e.notShared(p); err != nil {
		return nil, err
	}
	o := &opening{e: e, plan: p, sql: sql, tgt: tgt, zone: zoneOf(p.Zone)}
	tq, err := o.open(ctx)
	if err != nil {
		return nil, o.abandon(err)
	}
	q := &Query{target: tgt, ID: o.cfg.ID, runID: o.cfg.RunID, Name: p.Name, SQL: sql, Plan: p, Started: e.opt.Clock.Now(),
		q: tq, clock: e.opt.Clock, poll: e.set.get().poll, bus: e.bus, log: e.opt.Log, requests: make(chan request),
		stop: make(chan struct{}), done: make(chan struct{}), status: Running}
	q.again = restarts{Restart: p.Restart, reopen: o.anew}
	for _, out := range p.Outputs {
		if out.Sink != nil && out.Sink.Connector == "memory" {
			out.Sink.Result = out.OutputColumns()
		}
	}
	ctx, q.cancel = context.WithCancel(e.ctx)
	e.add(q)
	e.bus.tell(event{kind: started, query: q})
	go q.run(ctx)
	return q, nil
}

// anew opens everything once more, for the restart of a query that has ended.
func (o *opening) anew(ctx context.Context) (*opening, *trigger.Query, error) {
	n := &opening{e: o.e, plan: o.plan, sql: o.sql, tgt: o.tgt, zone: o.zone}
	n.tgt.dir, n.tgt.id = o.dir, o.cfg.ID // SET checkpoint_root may have changed
	tq, err := n.open(ctx)
	if err != nil {
		return nil, nil, n.abandon(err)
	}
	return n, tq, nil
}

// notShared refuses a second query into a memory sink, whose table is that of one query.
// Other sinks know their owner themselves.
func (e *Engine) notShared(p *physical.Query) error {
	for _, q := range e.Active() {
		for _, out := range p.Outputs {
			if out.Sink != nil && out.Sink.Connector == "memory" && uses(q, out.Sink) {
				return fmt.Errorf("sink %q is written to by the running query %q: stop it, or give this one a sink of its own", out.Name, q.Name)
			}
		}
	}
	return nil
}

// zoneOf is the zone of a plan, by the name that SET timezone accepted.
func zoneOf(name string) *time.Location {
	if z, err := types.LoadZone(name); err == nil {
		return z
	}
	return time.UTC
}

func (o *opening) open(ctx context.Context) (*trigger.Query, error) {
	if err := o.journal(); err != nil {
		return nil, err
	}
	g, err := build.New(ctx, o.plan, o.env())
	if err != nil {
		return nil, err
	}
	o.keep(g)
	o.cfg.Graph, o.cfg.Name, o.cfg.RunID = g, o.plan.Name, uuid.NewString()
	o.cfg.MemoryLimit = o.e.set.get().memory
	o.cfg.Clock, o.cfg.Log, o.cfg.At = o.e.opt.Clock, o.e.opt.Log, o.e.opt.Storage.At
	if err := o.inputs(ctx); err != nil {
		return nil, err
	}
	if err := o.outputs(ctx); err != nil {
		return nil, err
	}
	refused, err := o.refused()
	if err != nil {
		return nil, err
	}
	save, err := o.pin()
	if err != nil {
		return nil, err
	}
	if refused.query, err = trigger.Open(ctx, o.cfg); err == nil {
		err = save()
	}
	return refused.query, err
}

// abandon closes what is open after a failure. The error stays what it is, with its place
// in the statement, unless there is more to tell.
func (o *opening) abandon(err error) error {
	if e := o.close(); e != nil {
		return errors.Join(err, e)
	}
	return err
}

func (o *opening) close() error {
	var errs []error
	for i := len(o.undo) - 1; i >= 0; i-- {
		errs = append(errs, o.undo[i].Close())
	}
	return errors.Join(errs...)
}

func (o *opening) keep(c io.Closer) { o.undo = append(o.undo, c) }

func (o *opening) env() build.Env {
	var pool *build.Pool // a SELECT over tables waits for no query
	if !o.plan.Finite {
		pool = o.e.pool
	}
	return build.Env{Workers: o.e.opt.Workers, Pool: pool, Clock: o.e.opt.Clock, Unlogged: o.cfg.Journal == nil,
		NewCtx: func() *fn.Ctx { return o.e.newCtx(o.zone, o.plan.NullOnError) },
		Open: func(ctx context.Context, r *catalog.Relation) (source.Source, error) {
			return o.e.openSource(ctx, r, source.Config{Finite: true, Zone: o.zone})
		}}
}

// checkpointDir is where the query keeps its checkpoint; "" = it has none.
func (o *opening) checkpointDir() (string, error) {
	switch {
	case o.tgt.dir != "":
		return o.tgt.dir, nil
	case o.tgt.Checkpoint != "":
		return o.e.path(o.tgt.Checkpoint)
	case o.plan.Checkpoint != "":
		return o.e.path(o.plan.Checkpoint)
	case o.plan.Finite || o.tgt.Sink != nil || o.ephemeral():
		return "", nil
	}
	root, err := o.e.checkpointRoot()
	return filepath.Join(root, fileName(o.plan.Name)), err
}

// fileName makes a name of a directory of a query's name: one that stays below the root.
func fileName(name string) string {
	if name == "." || name == ".." {
		return strings.ReplaceAll(name, ".", "%2E")
	}
	return url.PathEscape(name)
}

// ephemeral reports that every output is of a kind that needs no checkpoint unless
// asked: what it got is gone with the program, so going on behind it would lose rows.
func (o *opening) ephemeral() bool {
	for _, out := range o.plan.Outputs {
		switch out.Target {
		case physical.ToClient, physical.ToTable:
		case physical.ToSink:
			if c, ok := o.e.opt.Builtin.Sink(out.Sink.Connector); !ok || !c.Ephemeral {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (o *opening) journal() error {
	o.cfg.ID = cmp.Or(o.tgt.id, uuid.NewString())
	dir, err := o.checkpointDir()
	o.dir = dir
	if err != nil || dir == "" {
		return err
	}
	tune := o.e.opt.Storage
	tune.Checkpoint.Manual = tune.At != nil
	c, err := checkpoint.Open(o.e.files(), dir, tune.Checkpoint)
	if err != nil {
		return err
	}
	o.keep(c)
	tune.State.Epoch, tune.State.Background, tune.State.Clock = c.Epoch(), tune.At == nil, o.e.opt.Clock
	s, err := state.Open(o.e.files(), c.StateDir(), tune.State)
	if err != nil {
		return err
	}
	o.keep(s)
	o.cfg.ID = c.ID()
	o.cfg.Journal = &trigger.Journal{Dir: c, State: s}
	return nil
}

// inputs opens one source for each relation that the plan scans.
func (o *opening) inputs(ctx context.Context) error {
	at := map[*catalog.Relation]*trigger.Input{}
	for _, s := range o.cfg.Graph.Scans {
		r := s.Plan.Relation
		in, ok := at[r]
		if !ok {
			src, err := o.e.openSource(ctx, r, source.Config{Finite: s.Plan.Finite, Refresh: refreshOf(s.Plan), Replay: o.cfg.Journal != nil, Zone: o.zone})
			if err != nil {
				return err
			}
			o.keep(src)
			if v, ok := src.(*viewRows); ok && o.scans(r) == 1 {
				v.wants(s.Plan)
			}
			in = &trigger.Input{Name: o.inputName(r.Name), Source: src, Limits: r.Common.Limits, Transient: r.Connector == "memory"}
			at[r] = in
			o.cfg.Inputs = append(o.cfg.Inputs, in)
		}
		in.Scans = append(in.Scans, s)
	}
	return nil
}

// scans counts the scans of a relation.
func (o *opening) scans(r *catalog.Relation) (n int) {
	for _, s := range o.cfg.Graph.Scans {
		if s.Plan.Relation == r {
			n++
		}
	}
	return n
}

// refreshOf says how often a table beside a stream is read again, nil = it is no such one.
func refreshOf(s *physical.Scan) *int64 {
	if s.Finite {
		return nil
	}
	return s.Relation.Common.Refresh
}

// inputName names an input in the checkpoint: further ones of one name, as paths in FROM
// have, get numbers.
func (o *opening) inputName(name string) string {
	for i, free := 2, name; ; i++ {
		if !slices.ContainsFunc(o.cfg.Inputs, func(in *trigger.Input) bool { return in.Name == free }) {
			return free
		}
		free = fmt.Sprintf("%s#%d", name, i)
	}
}

// openSource opens a relation. How it is read is in cfg already, what it is comes here.
func (e *Engine) openSource(ctx context.Context, r *catalog.Relation, cfg source.Config) (source.Source, error) {
	switch r.Connector {
	case "view":
		return e.view(ctx, r.Name)
	case "result":
		return e.memoryResult(r.Name)
	case "system":
		return e.systemRows(r.Name)
	case "state":
		return e.stateRows(ctx, r)
	case "checkpoint":
		return e.checkpointRows(r)
	}
	c, ok := e.opt.Builtin.Source(r.Connector)
	if !ok {
		return nil, fmt.Errorf("source %q: there is no connector %q", r.Name, r.Connector)
	}
	var err error
	cfg.Name, cfg.OnError, cfg.Dir, cfg.FS, cfg.Clock = r.Name, r.Common.OnError, e.opt.Dir, e.files(), e.opt.Clock
	cfg.Columns, _ = r.Inputs()
	cfg.Changes, cfg.Key = r.Changelog, r.InputKey()
	if cfg.Options, err = e.resolved(r.Options); err != nil {
		// Its place is in the statement that declared the source, not in the one that runs.
		return nil, fmt.Errorf("source %q: %w", r.Name, err)
	}
	src, err := c.Open(ctx, cfg)
	if err != nil {
		return nil, &UnreachableError{What: fmt.Sprintf("source %q", r.Name), Err: err}
	}
	return src, nil
}

// UnreachableError says that a source or sink could not be opened.
type UnreachableError struct {
	What string
	Err  error
}

func (e *UnreachableError) Error() string {
	if text := e.Err.Error(); e.What == "" || strings.HasPrefix(text, e.What+": ") {
		return text
	}
	return e.What + ": " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// outputs opens the sinks.
func (o *opening) outputs(ctx context.Context) error {
	for i, p := range o.plan.Outputs {
		s, c, err := o.sink(ctx, p, o.owner(i))
		if err != nil {
			return err
		}
		o.keep(s)
		for _, other := range o.cfg.Outputs {
			if c.Guarantee == sink.ExactlyOnce && !c.Ephemeral && other.Sink.Description() == s.Description() {
				return fmt.Errorf("sinks %q and %q write to the same place, %s: give each its own, or bring the queries together with UNION ALL",
					other.Name, p.Name, s.Description())
			}
		}
		o.cfg.Outputs = append(o.cfg.Outputs, &trigger.Output{Name: p.Name, Sink: s, View: build.NewView(p),
			Marks: c.Guarantee == sink.ExactlyOnce && !c.Ephemeral, Concurrent: c.Concurrent, Adopt: o.plan.AdoptSink})
	}
	return nil
}

// owner is the id under which a sink knows who writes to it: that of the query or, for
// the further outputs of a statement set, one of its own, so that two sinks that turn out
// to be one place do not take each other's batches for their own.
func (o *opening) owner(output int) string {
	if output == 0 {
		return o.cfg.ID
	}
	return o.cfg.ID + "/" + o.plan.Outputs[output].Name
}

func (o *opening) sink(ctx context.Context, p *physical.Output, owner string) (s sink.Sink, c *sink.Connector, err error) {
	none := &sink.Connector{Ephemeral: true}
	if o.tgt.Sink != nil {
		return o.tgt.Sink, none, nil
	}
	switch p.Target {
	case physical.ToView:
		return &viewSink{name: p.Name, types: typesOf(p.OutputColumns()), key: p.Key}, &sink.Connector{Ephemeral: true, Concurrent: true}, nil
	case physical.ToTable:
		return o.e.tableSink(p), none, nil
	}
	if c, err = o.connector(p); err != nil {
		return nil, nil, err
	}
	cfg, err := o.sinkConfig(p, owner)
	if err != nil {
		return nil, nil, fmt.Errorf("sink %q: %w", p.Name, err)
	}
	if s, err = c.Open(ctx, cfg); err != nil {
		return nil, nil, &UnreachableError{What: fmt.Sprintf("sink %q", p.Name), Err: err}
	}
	return s, c, nil
}

// connector is the kind of sink of an output: the console for a SELECT over a stream.
func (o *opening) connector(p *physical.Output) (*sink.Connector, error) {
	if o.tgt.To != nil {
		return o.tgt.To, nil
	}
	name := "console"
	if p.Target == physical.ToSink {
		name = p.Sink.Connector
	}
	c, ok := o.e.opt.Builtin.Sink(name)
	if !ok {
		return nil, fmt.Errorf("sink %q: there is no connector %q", p.Name, name)
	}
	return c, nil
}

func (o *opening) sinkConfig(p *physical.Output, owner string) (sink.Config, error) {
	cfg := sink.Config{Name: p.Name, Query: o.plan.Name, QueryID: owner, Columns: p.OutputColumns(), Key: p.Key,
		Mode: p.Mode, Ordered: p.Ordered, Zone: o.zone, Dir: o.e.opt.Dir, FS: o.e.files(), Clock: o.e.opt.Clock,
		Stdout: o.e.opt.Stdout, Log: o.e.opt.Log, Adopt: o.plan.AdoptSink, Once: o.cfg.Journal == nil}
	if o.tgt.Stdout != nil {
		cfg.Stdout = o.tgt.Stdout
	}
	var err error
	switch {
	case o.tgt.To != nil:
	case p.Sink != nil:
		cfg.PrimaryKey = p.Sink.Key
		cfg.Options, err = o.e.sinkOptions(p.Sink)
	default:
		cfg.Options = consoleOptions(o.e.opt.ConsoleFormat)
	}
	return cfg, err
}

// consoleOptions are those of a SELECT over a stream, which prints on the console. What
// programs read has no headings.
func consoleOptions(format string) []option.Value {
	switch format {
	case "csv", "json", "jsonl":
		return []option.Value{{Name: "format", Text: format}, {Name: "show_batch", Text: "false"}}
	}
	return nil
}
