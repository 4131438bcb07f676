package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// script runs statements in a session of their own, and gives what they print.
func script(t *testing.T, s *session, sql string) string {
	t.Helper()
	err := s.sql.Script(t.Context(), diag.Source{Text: sql})
	if out := s.said(err); err == nil {
		return out
	}
	t.Fatal(err)
	return ""
}

// Rule J2: the table is read when the query starts.
func TestTableIsReadOnce(t *testing.T) {
	s := newSession(t, "")
	defer s.close()
	script(t, s, `CREATE TABLE shops (shop STRING, town STRING);
CREATE SOURCE sales (shop STRING);
CREATE SINK out WITH (connector = 'memory');
INSERT INTO shops VALUES ('north', 'Lund');
INSERT INTO out SELECT s.shop, t.town FROM sales s LEFT JOIN shops t ON s.shop = t.shop TRIGGER MANUAL;
INSERT INTO sales VALUES ('north');
RUN TRIGGER;
INSERT INTO shops VALUES ('south', 'Porto');
INSERT INTO sales VALUES ('south');
RUN TRIGGER;`)
	got := script(t, s, "SELECT * FROM out ORDER BY shop;")
	if !strings.Contains(got, "Lund") || strings.Contains(got, "Porto") {
		t.Error(got)
	}
}

// Rule W10: the end of AVAILABLE NOW closes nothing; that of a finite table does.
func TestWhatIsOpenStaysOpen(t *testing.T) {
	s := newSession(t, "")
	defer s.close()
	const group = " GROUP BY window(at, '10 minutes')"
	got := script(t, s, `CREATE SOURCE c (at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' MINUTE);
CREATE TABLE f (at TIMESTAMP);
CREATE SINK out WITH (connector = 'memory');
INSERT INTO c VALUES ('2024-01-01 09:00:00');
INSERT INTO f VALUES ('2024-01-01 09:00:00');
INSERT INTO out SELECT count(*) AS n FROM c`+group+` EMIT APPEND TRIGGER AVAILABLE NOW;
AWAIT QUERY out;
SELECT count(*) AS stream FROM out;
SELECT count(*) AS n FROM f`+group+`;`)
	if strings.Count(got, "│      0 │") != 1 || strings.Count(got, "│      1 │") != 1 {
		t.Error(got)
	}
}

// Rule R12: console and memory have a checkpoint only if the query names one.
func TestSinksOfDevelopment(t *testing.T) {
	s := newSession(t, "")
	defer s.close()
	script(t, s, `CREATE SOURCE c (n INT);
CREATE SINK out WITH (connector = 'memory');
INSERT INTO out SELECT n FROM c TRIGGER ONCE;
AWAIT QUERY out;
CREATE SINK kept WITH (connector = 'memory');
INSERT INTO kept SELECT n FROM c TRIGGER ONCE WITH (checkpoint = 'here');
AWAIT QUERY kept;`)
	if _, err := os.Stat(filepath.Join(s.dir, ".sqlstream")); err == nil {
		t.Error("a query of a memory sink has made a checkpoint")
	}
	if _, err := os.Stat(filepath.Join(s.dir, "here", "metadata")); err != nil {
		t.Error(err)
	}
}

// Rule A10: state that grows for ever can be refused.
func TestUnboundedStateIsRefused(t *testing.T) {
	s := newSession(t, "")
	defer s.close()
	err := s.sql.Script(t.Context(), diag.Source{Text: `CREATE SOURCE c (n INT);
SET allow_unbounded_state = false;
SELECT n, count(*) FROM c GROUP BY n TRIGGER ONCE;`})
	if err == nil || !strings.Contains(err.Error(), "never cleaned") {
		t.Error(err)
	}
}

// Rule L12: columns that a query does not read make no row bad; the event time is read.
func TestOnlyReadColumnsMakeBadRows(t *testing.T) {
	s := newSession(t, "")
	defer s.close()
	text := `{"n": 1, "m": "x", "at": "2024-01-01 09:00:00"}` + "\n" + `{"n": 2, "m": 5, "at": "soon"}` + "\n"
	if err := s.write(&Block{File: "in/a.json", Text: text}); err != nil {
		t.Fatal(err)
	}
	got := script(t, s, `CREATE SOURCE c (n INT, m INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '1' MINUTE)
WITH (path = 'in', format = 'json', on_error = 'skip');
CREATE SINK out WITH (connector = 'memory');
INSERT INTO out SELECT n FROM c TRIGGER AVAILABLE NOW;
AWAIT QUERY out;
SELECT * FROM out;`)
	if !strings.Contains(got, "│   1 │") || strings.Contains(got, "│   2 │") {
		t.Error(got)
	}
}

// Rule L11: the page that states it shows the tables, and its blocks are run (TestBlocks).
