// Package engine is the product as a library: a catalog, the statements that change
// it, and the life of queries. The shell, the program, the tests and embedding
// programs use it and nothing below it. It knows every layer, and leaves each its own
// business: SQL to parser and planner, rows to build, batches to trigger. Open this
// file first, then exec.go (statements), start.go (from plan to running query) and
// handle.go (a running query; loop.go is its goroutine).
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/state"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Options configure an engine. The zero value is right for a program that reads and
// writes files of the machine.
type Options struct {
	Builtin *builtin.Registry // functions, connectors, formats; nil = builtin.New()
	FS      vfs.FS            // nil = the machine's; object stores and web addresses come on top
	Clock   clock.Clock       // nil = the machine's
	// Workers is how many goroutines compute at the same time, for all continuous queries
	// together; 0 = one for each core.
	Workers int
	// Dir is what relative paths in statements start from; "" = the working directory.
	Dir string
	// CheckpointRoot holds the checkpoints of queries that name none; "" =
	// .sqlstream/checkpoints in Dir.
	CheckpointRoot string
	Stdout         io.Writer // of console sinks; nil = os.Stdout
	// ConsoleFormat is how a SELECT over a stream is printed: csv, json, jsonl; else table.
	ConsoleFormat string
	Log           *slog.Logger
	// Listener is told of the life of queries by the queries themselves, and holds them up
	// while it works. Engine.Listen adds others, which cannot.
	Listener Listener
	Batch    bool // every source is read once, as a table
	// RuleOff, if set, names rewrite rules of the planner that are left out: for tests.
	RuleOff func(rule string) bool
	Storage Storage
}

// Storage tunes the files of checkpoints. The zero value is right for programs.
type Storage struct {
	Checkpoint checkpoint.Options
	State      state.Options // without Epoch, Clock and Background
	// At, if set, is called between the steps of a batch, and all work is done in the
	// query's goroutine: none of it in the background. For tests that decide the order.
	At func(p trigger.Point, batch int64, j *trigger.Journal) error
}

// Engine holds objects and queries. It is safe for concurrent use: statements are executed
// one at a time, except for those that wait; queries, and the rows of finite SELECTs, run
// beside them.
type Engine struct {
	opt    Options
	cat    *catalog.Catalog
	set    *session
	stores *stores
	turn   turn
	// prepared are the statements of PREPARE, by name in lower case; the turn guards them.
	prepared map[string]*prepared
	pool     *build.Pool // of all continuous queries
	mask     *mask
	bus      *bus
	ctx      context.Context
	kill     context.CancelFunc
	mu       sync.Mutex // guards queries
	queries  []*Query
	planned  []*physical.Query // of a script that is only checked
	blind    *blindness        // it plans and runs nothing; else nil
}

// Open returns an engine. Close stops its queries.
func Open(opt Options) (*Engine, error) {
	if err := opt.fill(); err != nil {
		return nil, err
	}
	e := &Engine{opt: opt, cat: catalog.New(opt.Builtin.Functions, opt.Builtin.Connectors), set: newSession(defaultSettings()), stores: newStores(opt.FS),
		turn: newTurn(), prepared: map[string]*prepared{}, mask: newMask(opt.Builtin), bus: newBus(opt.Listener, opt.Log), pool: build.NewPool(opt.Workers, opt.Clock)}
	e.ctx, e.kill = context.WithCancel(context.Background())
	return e, nil
}

func (o *Options) fill() error {
	var err error
	if o.Builtin == nil {
		if o.Builtin, err = builtin.New(uuid.NewString()); err != nil {
			return err
		}
	}
	if o.FS == nil {
		o.FS = vfs.OS()
	}
	o.FS = withStores(o.FS)
	if o.Clock == nil {
		o.Clock = clock.Real()
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Dir == "" {
		if o.Dir, err = os.Getwd(); err != nil {
			return err
		}
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.CheckpointRoot == "" {
		o.CheckpointRoot = filepath.Join(o.Dir, ".sqlstream", "checkpoints")
	}
	return nil
}

// Catalog is what the engine knows by name.
func (e *Engine) Catalog() *catalog.Catalog { return e.cat }

// Queries lists the queries of this engine, in the order in which they were started.
func (e *Engine) Queries() []*Query {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]*Query(nil), e.queries...)
}

// Query finds a query by name or id, the latest one of that name; nil if there is none.
func (e *Engine) Query(name string) *Query {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := len(e.queries) - 1; i >= 0; i-- {
		if q := e.queries[i]; q.Name == name || q.ID == name {
			return q
		}
	}
	return nil
}

// Active lists the queries that have not ended.
func (e *Engine) Active() []*Query {
	var out []*Query
	for _, q := range e.Queries() {
		if !q.over() {
			out = append(out, q)
		}
	}
	return out
}

// add lists a query. It takes the place of an ended one of the same name.
func (e *Engine) add(q *Query) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queries = slices.DeleteFunc(e.queries, func(old *Query) bool { return old.Name == q.Name && old.over() })
	e.queries = append(e.queries, q)
}

// AwaitAll waits until every query has ended, or the first one fails; the others are
// then stopped after their trigger.
func (e *Engine) AwaitAll(ctx context.Context) error {
	queries := e.Queries()
	for len(queries) > 0 {
		i, err := firstEnded(ctx, queries)
		if err != nil {
			return err
		}
		if err := queries[i].Err(); err != nil {
			return errors.Join(err, e.StopAll())
		}
		queries = slices.Delete(queries, i, i+1)
	}
	return nil
}

// firstEnded waits until one of the queries has ended, and tells which: of those that
// have, a failed one.
func firstEnded(ctx context.Context, queries []*Query) (int, error) {
	cases := make([]reflect.SelectCase, 0, len(queries)+1)
	for i, q := range queries {
		if q.over() && q.Err() != nil {
			return i, nil
		}
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(q.done)})
	}
	cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ctx.Done())})
	if i, _, _ := reflect.Select(cases); i < len(queries) {
		return i, nil
	}
	return -1, ctx.Err()
}

// StopAll ends every query after the trigger under way.
func (e *Engine) StopAll() error {
	var errs []error
	active := e.Active()
	for _, q := range active {
		q.RequestStop()
	}
	for _, q := range active {
		if err := q.Stop(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Close ends every query after its trigger and closes the engine.
func (e *Engine) Close() error {
	err := e.StopAll()
	e.kill()
	e.bus.close()
	return err
}

// Kill ends every query at once, as a crash would.
func (e *Engine) Kill() {
	e.kill()
	for _, q := range e.Queries() {
		<-q.done
	}
	e.bus.close()
}

// newCtx makes an evaluation context.
func (e *Engine) newCtx(zone *time.Location, nullOnError bool) *fn.Ctx {
	return &fn.Ctx{Now: e.opt.Clock.Now().UnixMicro(), Zone: zone, NullOnError: nullOnError, Scratch: &fn.Scratch{}}
}

// free reports an error if an active query has the name.
func (e *Engine) free(name string) error {
	for _, q := range e.Active() {
		if q.Name == name {
			return fmt.Errorf("a query named %q is running: stop it, or give this one another name with WITH (name = '…')", name)
		}
	}
	return nil
}
