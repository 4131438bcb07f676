package planner

import (
	"strings"
	"testing"
)

// Options and declarations that nothing would heed are refused.
func TestUnheededOptionsAreRefused(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE SOURCE s (k STRING) WITH (path = 'in', changelog = true)":                         "SQL4006: connector file delivers no deletions",
		"CREATE SOURCE s WITH (connector = 'rate', changelog = true)":                             "SQL4006: connector rate delivers no deletions",
		"CREATE SOURCE s (k STRING) WITH (path = 'in', format = 'json', on_error = 'divert')":     "SQL4004: on_error = 'divert' needs the name of a table",
		"CREATE SINK s (k STRING NOT NULL) WITH (connector = 'console')":                          "a column of a sink has a name and a type, nothing else",
		"CREATE SOURCE s (k STRUCT<a: INT NOT NULL>) WITH (connector = 'memory')":                 "SQL2012: NOT NULL of a field is not supported",
		"CREATE SOURCE s (k STRING, ts STRING, WATERMARK FOR ts AS ts) WITH (connector = 'rate')": "SQL2017: a watermark needs a TIMESTAMP column",
	} {
		if _, err := newSession(t).run(sql); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", sql, err, want)
		}
	}
}
