// Package random owns the random tests of whole queries: a typed generator of queries and
// of histories of their inputs, a run of each history through the engine that compares
// the accumulated output with incremental/reference after every trigger, and the
// shrinking of what fails to a small query and a short history. One seed fixes
// everything. tests/duckdb uses the same queries with a second referee.
//
// Open this file first, then query.go (what a query is), grammar.go (how one is drawn),
// history.go (inputs), run.go (the run and its checks), late.go, shrink.go, report.go, and
// endstate.go for other referees.
package random

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/planner/rules"
)

// Case is a query, a history of its inputs, and how it is run.
type Case struct {
	Seed    uint64
	Sources []Source
	Tables  []Table
	Query   *Select
	Mode    sink.Mode
	Workers int
	Steps   []Step
	Late    bool   // rows may come too late
	Size    int64  // then: of all windows over sources, minutes; 0 = the query begins with a join
	Batch   bool   // the query also runs once, over finite inputs
	Start   int64  // where event time begins, µs
	Tick    int64  // minutes between two triggers
	Zone    string // of the session; "" = UTC
	Without string // the rewrite rule that is left out; "" = none, "all" = all
}

// Source is a streaming input. All have the columns of sourceColumns.
type Source struct {
	Name      string
	Changelog bool
	Keyed     bool  // by column a: rows replace one another
	Delay     int64 // of the watermark, minutes
}

// appends tells that rows come, and stay.
func (s Source) appends() bool { return !s.Changelog && !s.Keyed }

// Table is a finite input, with the columns of tableColumns.
type Table struct {
	Name string
	Rows [][]any
}

// Step is one trigger: what enters from each source, in batches of Cut rows, and
// whether the program is killed and started again afterwards.
type Step struct {
	Changes [][]reference.Change // by source
	Cut     int
	Restart bool
}

// New draws a case.
func New(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 0x0bad5eed))
	c := &Case{Seed: seed, Workers: 1 + r.IntN(8), Late: r.IntN(5) == 0}
	for i := range 2 {
		c.Sources = append(c.Sources, Source{Name: fmt.Sprintf("s%d", i), Changelog: r.IntN(2) == 0})
	}
	for i := range 2 {
		c.Tables = append(c.Tables, drawTable(r, fmt.Sprintf("d%d", i)))
	}
	if c.Late {
		c.Size = []int64{10, 20, 60}[r.IntN(3)]
	}
	c.place(r)
	for i := range c.Sources {
		c.Sources[i].Keyed = !c.Late && r.IntN(6) == 0
	}
	g := &grammar{r: r, sources: c.Sources, late: c.Late, size: c.Size, start: c.Start}
	c.Query = g.query()
	if c.Late && r.IntN(3) == 0 {
		c.Size, g.size = 0, 0
		c.Query = g.lateJoin()
	}
	c.Mode = []sink.Mode{sink.Changelog, sink.Changelog, sink.Append, sink.Update, sink.Complete}[r.IntN(5)]
	if g.timed && c.Mode == sink.Append { // what is final can still leave
		c.Mode = sink.Changelog
	}
	if c.Mode == sink.Complete && len(c.Query.On) == 0 && r.IntN(3) == 0 {
		g.order(c.Query)
	}
	c.Batch = r.IntN(5) == 0
	c.history(r)
	c.leaveOut(rand.New(rand.NewPCG(seed, 0x0ff)))
	return c
}

// leaveOut chooses rewrite rules without which the query is planned: no result depends on
// one; and how fast the clock goes.
func (c *Case) leaveOut(r *rand.Rand) {
	switch r.IntN(4) {
	case 0:
		c.Without = "all"
	case 1:
		names := rules.Optional()
		c.Without = names[r.IntN(len(names))]
	}
	c.Tick = []int64{1, 1, 5, 10, 30}[r.IntN(5)]
}

func (c *Case) ruleOff(name string) bool { return c.Without == "all" || c.Without == name }

// place chooses where and when: now and then in a zone on a night when its clocks change.
func (c *Case) place(r *rand.Rand) {
	c.Start = epoch
	if r.IntN(6) > 0 {
		return
	}
	c.Zone = []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"}[r.IntN(4)]
	spring := time.Date(2024, 3, 30, 22, 0, 0, 0, time.UTC)
	autumn := time.Date(2024, 10, 26, 22, 0, 0, 0, time.UTC)
	c.Start = []int64{epoch, spring.UnixMicro(), autumn.UnixMicro()}[r.IntN(3)]
}

// location is the zone of the session.
func (c *Case) location() *time.Location {
	if c.Zone == "" {
		return time.UTC
	}
	z, err := time.LoadLocation(c.Zone)
	if err != nil {
		panic(err)
	}
	return z
}

// Failure is a case that went wrong. Kind tells failures apart while one is shrunk.
type Failure struct {
	Kind string // "mismatch", "engine", "plan", …
	Step int
	Text string
}

func (f *Failure) Error() string { return fmt.Sprintf("%s at trigger %d: %s", f.Kind, f.Step, f.Text) }
