package arch

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

func TestImports(t *testing.T) {
	edges, err := Edges(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(edges) == 0 {
		t.Fatal("no imports found")
	}
	for _, e := range edges {
		checkEdge(t, e)
	}
}

func checkEdge(t *testing.T, e Edge) {
	t.Helper()
	for mod, owner := range Sole {
		if under(e.To, mod) || strings.HasPrefix(e.To, mod+"/") {
			if !under(e.From, owner) && !e.Test {
				t.Errorf("%s:%d: %s may be imported by %s alone", e.File, e.Line, e.To, owner)
			}
			return
		}
	}
	first, _, _ := strings.Cut(e.To, "/")
	if !isOurs(first) || e.Test {
		return
	}
	if !Allowed(e) {
		t.Errorf("%s:%d: %s may not import %s", e.File, e.Line, e.From, e.To)
	}
}

func isOurs(first string) bool {
	switch first {
	case "parser", "planner", "exec", "incremental", "storage", "repl", "cmd", "tests":
		return true
	}
	return false
}

// A planted edge of each forbidden kind must be found.
func TestPlantedEdges(t *testing.T) {
	for _, e := range []Edge{
		{From: "exec/vec", To: "exec/fn"},
		{From: "parser", To: "planner"},
		{From: "storage/state", To: "exec/vec"},
		{From: "planner/bind", To: "exec/source/file"},
		{From: "exec/sink/file", To: "exec/sink/console"},
		{From: "exec/format/json", To: "exec/source"},
		{From: "incremental/stateful", To: "planner/physical"},
		{From: "repl", To: "planner"},
		{From: "exec/op", To: "incremental/build"},
	} {
		if Allowed(e) {
			t.Errorf("%s -> %s is not refused", e.From, e.To)
		}
	}
}

var clockOrChance = regexp.MustCompile(`\btime\.(Now|Since|Until|After|Tick|NewTimer|NewTicker)\(|"math/rand"`)

// TestTime: the clock and chance come from exec/clock and seeded generators alone.
func TestTime(t *testing.T) {
	eachGoFile(t, func(rel string, line int, text string) {
		if strings.HasSuffix(rel, "_test.go") || under(filepath.Dir(rel), "exec/clock") || under(filepath.Dir(rel), "tests") {
			return
		}
		if clockOrChance.MatchString(text) {
			t.Errorf("%s:%d: %s", rel, line, strings.TrimSpace(text))
		}
	})
}

func eachGoFile(t *testing.T, f func(rel string, line int, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		rel, _ := filepath.Rel(root, path)
		s := bufio.NewScanner(file)
		s.Buffer(nil, 1<<20)
		for n := 1; s.Scan(); n++ {
			f(filepath.ToSlash(rel), n, s.Text())
		}
		return s.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
