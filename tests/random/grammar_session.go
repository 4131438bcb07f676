package random

import "fmt"

// Sessions, cumulating windows and windows of months: of sessions as table functions
// DuckDB can be told, of the others where they have a fixed length.

// sessionTable brings the rows of a source into sessions.
func (g *grammar) sessionTable(f *From) {
	gap := []int{5, 10, 15}[g.r.IntN(3)]
	key := []string{"a", "s", "b"}[g.r.IntN(3)]
	f.Func = fmt.Sprintf("SESSION(TABLE $t PARTITION BY %s, DESCRIPTOR(ts), INTERVAL '%d' MINUTE)", key, gap)
	f.Duck = fmt.Sprintf(`(SELECT * EXCLUDE (before, number), min(ts) OVER (PARTITION BY %[1]s, number) AS window_start,
 max(ts) OVER (PARTITION BY %[1]s, number) + INTERVAL '%[2]d' MINUTE AS window_end FROM
 (SELECT *, sum(CASE WHEN before IS NULL OR ts - before >= INTERVAL '%[2]d' MINUTE THEN 1 ELSE 0 END)
  OVER (PARTITION BY %[1]s ORDER BY ts ROWS UNBOUNDED PRECEDING) AS number FROM
  (SELECT *, lag(ts) OVER (PARTITION BY %[1]s ORDER BY ts) AS before FROM $t WHERE ts IS NOT NULL)))`, key, gap)
}

// cumulating gives each row its windows of 10, 20 and 30 minutes.
func (g *grammar) cumulating(f *From) {
	f.Func = "CUMULATE(TABLE $t, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '30' MINUTE)"
	f.Duck = "(SELECT * FROM (SELECT * EXCLUDE (i), time_bucket(INTERVAL '30' MINUTE, ts) AS window_start, " +
		"time_bucket(INTERVAL '30' MINUTE, ts) + to_minutes(10 + 10 * i) AS window_end FROM $t, (SELECT unnest(range(3)) AS i) WHERE ts IS NOT NULL) WHERE ts < window_end)"
}

// calendarTable gives each row a window of the calendar, or several.
func (g *grammar) calendarTable(f *From) {
	f.Func = []string{"TUMBLE(TABLE $t, DESCRIPTOR(ts), INTERVAL '1' MONTH)", "TUMBLE(TABLE $t, DESCRIPTOR(ts), INTERVAL '7' DAY, INTERVAL '1' DAY)",
		"HOP(TABLE $t, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '2' DAY)", "HOP(TABLE $t, DESCRIPTOR(ts), INTERVAL '1' MONTH, INTERVAL '3' MONTH)",
		"CUMULATE(TABLE $t, DESCRIPTOR(ts), INTERVAL '6' HOUR, INTERVAL '1' DAY)"}[g.r.IntN(5)]
}

// session makes the window of a grouping a session window: its gap is a constant, or
// depends on the row.
func (g *grammar) session(w *Window, sc scope) {
	w.Size = []int64{5, 10, 20}[g.r.IntN(3)]
	w.Slide, w.Session = w.Size, true
	if len(sc[Int]) > 0 && g.chance(30) {
		w.Gap = sc[Int][g.r.IntN(len(sc[Int]))].clone() // a constant gap must be positive
	}
}

// sessionKey is the window as a key.
func (w *Window) sessionKey() *Expr {
	if w.Gap == nil {
		return &Expr{Kind: Time, Text: fmt.Sprintf("session_window($1, '%d minutes')", w.Size), Duck: "-", Kids: []*Expr{w.Time}}
	}
	text := fmt.Sprintf("session_window($1, CASE WHEN $2 > 1 THEN INTERVAL '%d' MINUTE WHEN $2 = 0 THEN INTERVAL '0' MINUTE WHEN $2 = 1 THEN INTERVAL '%d' MINUTE END)", w.Size, 2*w.Size)
	return &Expr{Kind: Time, Text: text, Duck: "-", Kids: []*Expr{w.Time, w.Gap}}
}
