//go:build mutants

package server

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// checks tell whether the server behaves, each of them where one mutant makes it not.
var checks = map[string]func(open, closed *world) bool{
	"any host name is answered": func(open, _ *world) bool {
		return open.do("GET /v1/queries", "", "Host: evil.example").Code == 421
	},
	"pages of other sites may read": func(open, _ *world) bool {
		return open.do("GET /v1/queries", "", "Sec-Fetch-Site: cross-site").Code == 403
	},
	"nobody may read": func(_, closed *world) bool { return closed.do("GET /v1/queries", "").Code == 401 },
	"probes open every path": func(_, closed *world) bool {
		return closed.do("GET /healthz", "").Code == 200 && closed.do("POST /v1/queries/out/pause", "").Code == 401
	},
	"readers may do everything": func(_, closed *world) bool {
		return closed.do("POST /v1/queries/out/pause", "", "Authorization: Bearer "+readerToken).Code == 403
	},
	"results have no limit": func(open, _ *world) bool {
		rec := open.do("POST /v1/sql", `{"sql": "SELECT who FROM people", "max_rows": 2}`, asJSON)
		return strings.Contains(rec.Body.String(), `"truncated":true`)
	},
	"texts of statements keep their secrets": func(open, _ *world) bool {
		return !strings.Contains(open.e.Masked(diag.Source{Text: "CREATE SINK s WITH (password = 'x7')"}).Text, "x7")
	},
}

// Every mutant makes its check fail, and without one all pass.
func TestMutants(t *testing.T) {
	open, closed := newWorld(t), newWorld(t, withTokens, func(o *Options) { o.Access.OpenProbes = true })
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		if !checks[name](open, closed) {
			t.Errorf("without a mutant: %s", name)
		}
		restore := mutant.Activate(name)
		if checks[name](open, closed) {
			t.Errorf("%s: it survives", name)
		}
		restore()
	}
}
