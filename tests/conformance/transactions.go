package conformance

import "slices"

// transaction is what a connection does between BEGIN and its end.
type transaction struct {
	conn       string
	begin, end int // steps; end = the number of steps for one that stays open
	kept       bool
}

// transactions leaves out what has no counterpart where every change is seen at once: the
// steps of a transaction that is taken back, and what one connection sees, or is refused,
// while another one has changed something that is not committed, or after it has within a
// transaction of its own. What is committed stays.
func transactions(steps []step) {
	for _, t := range transactionsOf(steps) {
		t.leaveOut(steps)
	}
}

func transactionsOf(steps []step) []transaction {
	var done []transaction
	open := map[string]transaction{}
	for i, s := range steps {
		toks := tokens(s.sql)
		if len(toks) == 0 {
			continue
		}
		t, in := open[s.conn]
		switch {
		case !in && (toks[0].is("begin") || toks[0].is("start") && hasWords(toks, "start", "transaction")):
			open[s.conn] = transaction{conn: s.conn, begin: i}
		case in && (toks[0].is("commit") || toks[0].is("rollback") || toks[0].is("abort") || toks[0].is("end")):
			t.end, t.kept = i, !s.wantError && (toks[0].is("commit") || toks[0].is("end"))
			done = append(done, t)
			delete(open, s.conn)
		}
	}
	for _, t := range open {
		t.end = len(steps)
		done = append(done, t)
	}
	slices.SortFunc(done, func(a, b transaction) int { return a.begin - b.begin })
	return done
}

func (t transaction) leaveOut(steps []step) {
	changed, others := false, false // by the transaction; by other connections
	for i := t.begin; i < min(t.end+1, len(steps)); i++ {
		s := &steps[i]
		own, writes := s.conn == t.conn, s.writes()
		sees := !writes || s.wantError
		switch {
		case own && (!t.kept || others && sees), !own && changed && (s.wantError || t.kept && sees):
			s.skip = "transaction"
		}
		changed, others = changed || own && writes, others || !own && writes
	}
}

// writes reports a step that changes rows or objects.
func (s *step) writes() bool {
	toks := tokens(s.sql)
	if len(toks) == 0 {
		return false
	}
	for _, w := range []string{"insert", "update", "delete", "create", "drop", "truncate", "alter", "merge", "copy"} {
		if toks[0].is(w) {
			return true
		}
	}
	return toks[0].is("with") && (hasWords(toks, "insert", "into") || hasWords(toks, "delete", "from") || hasWords(toks, "update"))
}
