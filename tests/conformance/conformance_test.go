package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// TestPublic runs the folders of SQLSTREAM_CONFORMANCE_DIR and prints what came of them.
// SQLSTREAM_CONFORMANCE_ONLY is a part of the paths to run, or several with commas, SQLSTREAM_CONFORMANCE_TIME how
// long a folder may take, SQLSTREAM_CONFORMANCE_FAILURES a file for all failures.
// SQLSTREAM_CONFORMANCE_EVERY takes every n-th file instead of the suite's own sample.
func TestPublic(t *testing.T) {
	dir := os.Getenv("SQLSTREAM_CONFORMANCE_DIR")
	if dir == "" {
		t.Log("no folder of public files is set: SQLSTREAM_CONFORMANCE_DIR")
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	runtime.MemProfileRate = 0 // thousands of small worlds: an eighth of the time
	debug.SetGCPercent(400)
	var report bytes.Buffer
	failures := io.Discard
	if path := os.Getenv("SQLSTREAM_CONFORMANCE_FAILURES"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		failures = f
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		s := suiteOf(e.Name())
		runSuite(t, &s, filepath.Join(dir, e.Name()), &report, failures)
	}
	t.Logf("\n%s", report.String())
}

func runSuite(t *testing.T, s *suite, root string, report *bytes.Buffer, failures io.Writer) {
	only := os.Getenv("SQLSTREAM_CONFORMANCE_ONLY")
	if n, err := strconv.Atoi(os.Getenv("SQLSTREAM_CONFORMANCE_EVERY")); err == nil {
		s.every = n
	}
	files, all, err := s.files(root)
	if err != nil {
		t.Fatal(err)
	}
	total := newFolder(s.name+", all", s.reasons)
	folders := []*folder{}
	byName := map[string]*folder{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))
	began := clock.Real().Now()
	limit, _ := time.ParseDuration(os.Getenv("SQLSTREAM_CONFORMANCE_TIME"))
	left := 0
	for _, path := range files {
		if !slices.ContainsFunc(strings.Split(only, ","), func(part string) bool { return strings.Contains(filepath.Join(s.name, path), part) }) {
			continue
		}
		if limit > 0 && clock.Real().Now().Sub(began) > limit {
			left++
			continue
		}
		sc, err := s.read(root, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		name := s.name + "/" + filepath.Dir(path)
		if byName[name] == nil {
			byName[name] = newFolder(name, s.reasons)
			folders = append(folders, byName[name])
		}
		f := byName[name]
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			began := clock.Real().Now()
			list, n := runScript(context.Background(), &s.dialect, sc)
			took := clock.Real().Now().Sub(began)
			mu.Lock()
			defer mu.Unlock()
			f.add(list, n)
			total.add(list, n)
			one := newFolder(name, s.reasons)
			one.add(list, n)
			printFailures(failures, one.failures)
			if os.Getenv("SQLSTREAM_CONFORMANCE_ONLY") != "" {
				fmt.Fprintf(os.Stderr, "%6.1f s %s\n", took.Seconds(), sc.name)
			}
		}()
	}
	wg.Wait()
	if total.files == 0 {
		return
	}
	fmt.Fprintf(report, "%s: %d of %d files, %d left out for want of time\n", s.name, total.files, all, left)
	printFolders(report, append(folders, total))
	printRules(report, total)
	if total.files == len(files) {
		printIdle(report, total)
	}
}
