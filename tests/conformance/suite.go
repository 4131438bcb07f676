package conformance

import (
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// suite says how the files of a folder are read. Its name is the folder's.
type suite struct {
	name    string
	dialect dialect
	called  []string // what skipif and onlyif may call a system of this dialect
	dirs    []string // below the folder; nil = all
	endings []string
	every   int // every n-th file, in the order of their paths; 0 = all
	queries int // at most so many queries of a file, evenly spread; 0 = all
	reasons []explanation
}

// suites are the folders that are known. Another folder is read as sqllogictest files in
// the dialect of the product.
var suites = []suite{
	{name: "risingwave", dialect: risingwave, called: []string{"risingwave"}, endings: []string{".slt", "/main.slt.part"},
		dirs: []string{"e2e_test/streaming", "e2e_test/batch", "e2e_test/dml", "e2e_test/over_window/generated", "e2e_test/tpch", "e2e_test/nexmark",
			"e2e_test/ch_benchmark"}, reasons: slices.Concat(risingwaveReasons, risingBatchReasons, commonReasons)},
	{name: "duckdb", dialect: duckdb, called: []string{"duckdb"}, endings: []string{".test"},
		dirs: under("test/sql", "aggregate", "binder", "cast", "conjunction", "cte", "delete", "filter", "function/date", "function/interval", "function/list",
			"function/numeric", "function/operator", "function/string", "function/generic", "function/timestamp", "function/time", "insert", "join", "limit", "order",
			"ordinality", "overflow", "pivot", "projection", "select", "setops", "subquery", "topn", "types/date", "types/decimal", "types/float", "types/interval",
			"types/list", "types/null", "types/time", "types/timestamp", "types/string", "types/struct", "types/map", "update", "window"),
		reasons: slices.Concat(writtenReasons, duckRowReasons, duckShapeReasons, duckNestedReasons, duckFolderReasons, duckdbReasons, duckTimeReasons, duckTextReasons, duckOrderReasons, commonReasons)},
	{name: "sqlite", dialect: sqlite, called: []string{"sqlite"}, endings: []string{".test"}, every: 12, queries: 60, reasons: sqliteReasons},
	{name: "feldera", dialect: feldera, endings: []string{".java"}, reasons: slices.Concat(felderaReasons, felderaRefused, commonReasons)},
}

func under(root string, dirs ...string) []string {
	out := make([]string, len(dirs))
	for i, d := range dirs {
		out[i] = root + "/" + d
	}
	return out
}

func suiteOf(folder string) suite {
	for _, s := range suites {
		if s.name == folder {
			return s
		}
	}
	return suite{name: folder, endings: []string{".slt", ".test"}}
}

// files are those of a suite's folder that are run, relative to it, in the order of their
// paths, and how many there are.
func (s *suite) files(root string) (list []string, all int, err error) {
	dirs := s.dirs
	if dirs == nil {
		dirs = []string{"."}
	}
	for _, d := range dirs {
		err := filepath.WalkDir(filepath.Join(root, d), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // a folder that is not there has no files
			}
			for _, end := range s.endings {
				if strings.HasSuffix(path, end) {
					rel, err := filepath.Rel(root, path)
					list = append(list, rel)
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	for _, path := range list {
		for _, part := range alone(filepath.Join(root, path)) {
			rel, err := filepath.Rel(root, part)
			if err != nil {
				return nil, 0, err
			}
			list = append(list, rel)
		}
	}
	sort.Strings(list)
	list = slices.Compact(list)
	all = len(list)
	if s.every > 1 {
		var some []string
		for i := 0; i < len(list); i += s.every {
			some = append(some, list[i])
		}
		list = some
	}
	return list, all, nil
}

// read reads a file of the suite.
func (s *suite) read(root, path string) (*script, error) {
	var sc *script
	var err error
	if strings.HasSuffix(path, ".java") {
		sc, err = readSteps(root, path)
	} else {
		sc, err = readSLT(root, path, s.called)
	}
	if err == nil {
		withoutReadOnly(sc.steps)
		transactions(sc.steps)
	}
	if err == nil && s.queries > 0 {
		sc.steps = sample(sc.steps, s.queries)
	}
	return sc, err
}

// sample leaves n queries, evenly spread, and all else.
func sample(steps []step, n int) []step {
	all := 0
	for _, s := range steps {
		if s.kind == query {
			all++
		}
	}
	if all <= n {
		return steps
	}
	var out []step
	seen := 0
	for _, s := range steps {
		if s.kind == query {
			seen++
			if seen*n/all == (seen-1)*n/all {
				continue
			}
		}
		out = append(out, s)
	}
	return out
}
