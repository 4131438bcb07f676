package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is the program itself when it is called sqlstream.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sqlstream": main})
}

// TestScripts drives the program through tests/scripts. Beside the commands of testscript
// there are:
//
//	status CODE program args...   runs a program that must end with this status
//	waitfor FILE [REGEX]          waits until the file exists and has the text
//	mtime RFC3339 FILE...         sets modification times
//	files [-count=N] PATTERN      the glob pattern must match that many files, or any
//	cmprows FILE1 FILE2           cmp, but in any order between lines that begin with ---
//	damage HOW FILE               cut (to half), flip (a bit in the middle), empty, gone
//	restore FILE                  undoes damage
//
// With UPDATE_SCRIPTS set, the files that cmp compares with are written anew.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../tests/scripts",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": statusCommand, "waitfor": waitForCommand, "mtime": mtimeCommand, "files": filesCommand, "cmprows": cmpRowsCommand,
			"damage": damageCommand, "restore": restoreCommand},
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("GOCOVERDIR", os.Getenv("GOCOVERDIR"))
			return nil
		},
	})
}

func statusCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// patience is how long a test waits for something that must happen.
const patience = 20 * time.Second

// eventually waits until ok, looking again every few milliseconds.
func eventually(ok func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			return false
		}
	}
	return true
}

func waitForCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: waitfor FILE [REGEX]")
	}
	re := regexp.MustCompile("")
	if len(args) == 2 {
		re = regexp.MustCompile(args[1])
	}
	path := ts.MkAbs(args[0])
	if !eventually(func() bool { text, err := os.ReadFile(path); return err == nil && re.Match(text) }) {
		ts.Fatalf("%s: nothing like %q within %s", args[0], re, patience)
	}
}

func mtimeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mtime RFC3339 FILE...")
	}
	at, err := time.Parse(time.RFC3339, args[0])
	ts.Check(err)
	for _, f := range args[1:] {
		ts.Check(os.Chtimes(ts.MkAbs(f), at, at))
	}
}

func filesCommand(ts *testscript.TestScript, neg bool, args []string) {
	want := -1
	if len(args) == 2 {
		_, err := fmt.Sscanf(args[0], "-count=%d", &want)
		ts.Check(err)
		args = args[1:]
	}
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	switch {
	case neg && len(found) > 0:
		ts.Fatalf("%s matches %v", args[0], found)
	case !neg && (len(found) == 0 && want != 0 || want >= 0 && len(found) != want):
		ts.Fatalf("%s matches %d files: %v", args[0], len(found), found)
	}
}

func cmpRowsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cmprows FILE1 FILE2")
	}
	got, want := sortedRows(ts.ReadFile(args[0])), sortedRows(ts.ReadFile(args[1]))
	if got != want {
		ts.Fatalf("rows differ: got\n%s\nwant\n%s", got, want)
	}
}

// sortedRows sorts the lines of each section.
func sortedRows(text string) string {
	var out, section []string
	for _, line := range append(strings.Split(strings.TrimSpace(text), "\n"), "---") {
		if !strings.HasPrefix(line, "---") {
			section = append(section, line)
			continue
		}
		slices.Sort(section)
		out = append(append(out, section...), line)
		section = nil
	}
	return strings.Join(out, "\n")
}

// good is where the damage command keeps the file as it was.
func good(ts *testscript.TestScript, path string) string {
	return filepath.Join(ts.Getenv("WORK"), ".good", strings.ReplaceAll(ts.MkAbs(path), string(filepath.Separator), "_"))
}

func damageCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage cut|flip|empty|gone FILE")
	}
	path := ts.MkAbs(args[1])
	data, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(good(ts, path)), 0o755))
	ts.Check(os.Rename(path, good(ts, path)))
	switch args[0] {
	case "cut":
		data = data[:len(data)/2]
	case "flip":
		data[len(data)/2] ^= 1
	case "empty":
		data = nil
	case "gone":
		return
	default:
		ts.Fatalf("damage: how is %q?", args[0])
	}
	ts.Check(os.WriteFile(path, data, 0o644))
}

func restoreCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: restore FILE")
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
	ts.Check(os.Rename(good(ts, args[0]), ts.MkAbs(args[0])))
}
