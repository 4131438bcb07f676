package engine

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
)

// settings are what SET changes. A query takes them when it starts.
type settings struct {
	zone           *time.Location
	nullOnError    bool
	checkpointRoot string
	allowUnbounded bool
	poll           time.Duration
	rounds, rows   int64             // of recursive queries
	store          map[string]string // of object stores; never changed in place
	memory         int64             // bytes of state that a query may hold; 0 = no limit
}

func defaultSettings() settings {
	return settings{zone: time.UTC, allowUnbounded: true, poll: 50 * time.Millisecond, rounds: bind.RecursionRounds, rows: bind.RecursionRows}
}

// session holds the settings of an engine: readers get a copy of what is set.
type session struct {
	mu  sync.Mutex
	now settings
}

func newSession(s settings) *session { return &session{now: s} }

func (s *session) get() settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *session) change(do func(*settings) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return do(&s.now)
}

// settingDef describes a setting.
type settingDef struct {
	doc string
	get func(*settings) string
	set func(*settings, string) error
}

// settingDefs lists every setting by name.
func settingDefs() map[string]settingDef {
	defs := storeDefs()
	maps.Copy(defs, map[string]settingDef{
		"timezone": {"The session time zone: how times are read, printed and cut into days. Part of a checkpoint.",
			func(s *settings) string { return s.zone.String() }, setZone},
		"eval_error": {"What a value that cannot be computed does: 'fail' ends the query, 'null' gives NULL and counts it.",
			func(s *settings) string { return pick(s.nullOnError, "null", "fail") },
			func(s *settings, v string) error { return choose(&s.nullOnError, v, "null", "fail") }},
		"checkpoint_root": {"Where queries that name no checkpoint keep theirs.",
			func(s *settings) string { return s.checkpointRoot },
			func(s *settings, v string) error { s.checkpointRoot = v; return nil }},
		"allow_unbounded_state": {"Whether queries may run whose state grows for ever.",
			func(s *settings) string { return pick(s.allowUnbounded, "true", "false") },
			func(s *settings, v string) error { return choose(&s.allowUnbounded, v, "true", "false") }},
		"recursion_rounds": {"The most rounds of a recursive query in a trigger; more end the query.",
			func(s *settings) string { return strconv.FormatInt(s.rounds, 10) },
			func(s *settings, v string) error { return setCount(&s.rounds, v) }},
		"recursion_rows": {"The most rows of a recursive query; more end the query.",
			func(s *settings) string { return strconv.FormatInt(s.rows, 10) },
			func(s *settings, v string) error { return setCount(&s.rows, v) }},
		"memory_limit": {"How much memory the state and the pending output of a query may take: '512 MiB'; 0 = no limit. A trigger that ends with more fails the query before its result is published, and says which operator holds what.",
			func(s *settings) string { return option.FormatSize(s.memory) }, setMemory},
		"poll_interval": {"How long a query without new rows waits before it looks again.",
			func(s *settings) string { return s.poll.String() }, setPoll},
	})
	return defs
}

func setZone(s *settings, v string) error {
	z, err := types.LoadZone(v)
	if err != nil {
		if near := diag.DidYouMean(v, types.CommonZones()); near != "" {
			return fmt.Errorf("%q is not a time zone: did you mean '%s'?", v, near)
		}
		return fmt.Errorf("%q is not a time zone: write a name such as Europe/Berlin, or an offset such as +02:00", v)
	}
	s.zone = z
	return nil
}

func setPoll(s *settings, v string) error {
	months, days, us, err := parser.ParseDuration(v)
	d := time.Duration(days*86_400_000_000+us) * time.Microsecond
	if err != nil || months != 0 || d <= 0 {
		return fmt.Errorf("%q is not a duration: write '50 ms' or '1 second'", v)
	}
	s.poll = d
	return nil
}

func setMemory(s *settings, v string) (err error) {
	s.memory, err = option.ParseSize(v)
	return err
}

func setCount(n *int64, v string) error {
	x, err := strconv.ParseInt(v, 10, 64)
	if err != nil || x <= 0 {
		return fmt.Errorf("%q is not a number above 0", v)
	}
	*n = x
	return nil
}

func pick(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func choose(b *bool, v, yes, no string) error {
	switch strings.ToLower(v) {
	case yes:
		*b = true
	case no:
		*b = false
	default:
		return fmt.Errorf("%q is neither '%s' nor '%s'", v, yes, no)
	}
	return nil
}

func settingNames() []string {
	var names []string
	for n := range settingDefs() {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// foreignSetting is what to write for a setting of Spark, Flink, PostgreSQL or DuckDB, "" for
// others.
func foreignSetting(key string) string {
	for _, s := range []struct{ names, write string }{
		{"spark.sql.session.timezone table.local-time-zone", "write SET timezone = 'Europe/Berlin'"},
		{"spark.sql.ansi.enabled", "write SET eval_error = 'null', which makes NULL of what cannot be computed"},
		{"spark.sql.shuffle.partitions spark.default.parallelism parallelism.default table.exec.resource.default-parallelism threads worker_threads", "leave it out: all cores are used; --workers 2 takes fewer"},
		{"execution.runtime-mode", "leave it out: a query over tables is a batch; --batch reads every source as a table"},
		{"sql-client.execution.result-mode", "leave it out: --output table, csv, json and others print rows"},
		{"execution.checkpointing.interval state.checkpoints.dir execution.checkpointing.dir spark.sql.streaming.checkpointlocation", "each trigger ends with a checkpoint: WITH (checkpoint = '…') or SET checkpoint_root = '…' says where"},
		{"table.exec.state.ttl", "state is forgotten by watermarks: WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE in the source"},
		{"table.exec.source.idle-timeout", "write idle_timeout = '1 minute' in WITH of the source"},
		{"pipeline.name", "write WITH (name = '…') behind the query"},
		{"max_memory work_mem", "write SET memory_limit = '512 MiB'"},
		{"search_path schema", "leave it out: there is one space of names"},
	} {
		if slices.Contains(strings.Fields(s.names), key) {
			return s.write
		}
	}
	return ""
}

func findSetting(key string, span diag.Span) (settingDef, error) {
	if d, ok := settingDefs()[strings.ToLower(key)]; ok {
		return d, nil
	}
	d := diag.Errorf(diag.UnknownSetting, span, "there is no setting %q", key)
	if write := foreignSetting(strings.ToLower(key)); write != "" {
		d = d.WithHint("%s", write)
	} else if best := diag.DidYouMean(strings.ToLower(key), settingNames()); best != "" {
		d = d.WithHint("did you mean %q?", best)
	} else {
		d = d.WithHint("SHOW SETTINGS lists them")
	}
	return settingDef{}, diag.NewError(nil, d)
}

// setting is SET key = value, SET key and SET.
func (e *Engine) setting(s *ast.Set) (*Result, error) {
	if s.Key == "" {
		return e.showSettings(""), nil
	}
	d, err := findSetting(s.Key, s.KeySpan)
	if err != nil {
		return nil, err
	}
	if s.Value == nil {
		return e.showSettings(s.Key), nil
	}
	if err := e.set.change(func(now *settings) error { return d.set(now, s.Value.Text) }); err != nil {
		return nil, diag.NewError(nil, diag.Errorf(diag.WrongSetting, s.Value.Span, "setting %q: %s", s.Key, err))
	}
	return &Result{}, nil
}

// reset is RESET key and RESET ALL.
func (e *Engine) reset(s *ast.Reset) (*Result, error) {
	def := defaultSettings()
	if s.Key == "" {
		return &Result{}, e.set.change(func(now *settings) error { *now = def; return nil })
	}
	d, err := findSetting(s.Key, s.KeySpan)
	if err != nil {
		return nil, err
	}
	return &Result{}, e.set.change(func(now *settings) error { return d.set(now, d.get(&def)) })
}

func (e *Engine) showSettings(like string) *Result {
	return rowsResult([]string{"name", "value", "description"}, e.settings(like))
}

// settings lists those whose name is like a pattern; all for an empty one.
func (e *Engine) settings(like string) (rows [][]string) {
	defs, now := settingDefs(), e.set.get()
	for _, n := range settingNames() {
		if matches(n, like) {
			rows = append(rows, []string{n, defs[n].get(&now), defs[n].doc})
		}
	}
	return rows
}

// checkpointRoot is where queries that name no checkpoint keep theirs.
func (e *Engine) checkpointRoot() (string, error) {
	if root := e.set.get().checkpointRoot; root != "" {
		return e.path(root)
	}
	return e.path(e.opt.CheckpointRoot)
}
