package docs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/goldentest"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/repl"
	"github.com/sqlstream/sqlstream/repl/output"
)

// TestBlocks runs the blocks of every page.
func TestBlocks(t *testing.T) {
	pages, err := Markdown(Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pages {
		t.Run(strings.TrimPrefix(filepath.ToSlash(path), Root+"/"), func(t *testing.T) { runPage(t, path) })
	}
}

func runPage(t *testing.T, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	blocks, err := Blocks(text)
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t, path)
	defer s.close()
	var changed []*Block
	var to []string
	for _, b := range blocks {
		got, ran := s.run(t, b)
		if !ran || b.Output == nil || got == trimLines(b.Output.Text) {
			continue
		}
		if *update {
			changed, to = append(changed, b.Output), append(to, got)
			continue
		}
		t.Errorf("line %d: the output is\n%s\nbut the page says\n%s", b.Line, got, b.Output.Text)
	}
	if len(changed) > 0 {
		if err := os.WriteFile(path, []byte(Replace(text, changed, to)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// session is the directory and the engine of a page.
type session struct {
	page, dir string
	real      string // dir without symbolic links
	e         *engine.Engine
	out, err  *lockedBuffer
	sql       *repl.Session
}

// lockedBuffer takes what the shell and running queries print.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.b.String()
	l.b.Reset()
	return s
}

func newSession(t *testing.T, page string) *session {
	t.Helper()
	s := &session{page: page, dir: t.TempDir(), out: &lockedBuffer{}, err: &lockedBuffer{}}
	if err := prepare(s.dir, page); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.real, err = filepath.EvalSymlinks(s.dir); err != nil {
		t.Fatal(err)
	}
	if s.e, err = open(s.dir, s.out); err != nil {
		t.Fatal(err)
	}
	s.sql = &repl.Session{Engine: s.e, Out: s.out, Err: s.err, Format: output.Table}
	return s
}

func (s *session) close() { s.e.Kill() }

// run runs a block and gives what it printed; ran is false for blocks that have no
// output of their own.
func (s *session) run(t *testing.T, b *Block) (got string, ran bool) {
	t.Helper()
	switch {
	case b.Reason != "":
		return "", false
	case b.File != "":
		if err := s.write(b); err != nil {
			t.Fatalf("line %d: %v", b.Line, err)
		}
		return "", false
	case b.Lang == "test":
		s.runGolden(t, b)
		return "", false
	case b.Lang == "sql":
		got = s.runSQL(t, b)
	case b.Lang == "http":
		got = request(t, s.e, b.Text)
	case b.Lang == "sh":
		got = s.runCommands(t, b)
	default:
		return "", false
	}
	for _, dir := range []string{s.dir, s.real} {
		got = strings.ReplaceAll(got, dir+string(filepath.Separator), "")
	}
	return trimLines(got), true
}

func (s *session) write(b *Block) error {
	path := filepath.Join(s.dir, filepath.FromSlash(b.File))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.Text+"\n"), 0o644)
}

// runGolden runs a golden test file that a page shows.
func (s *session) runGolden(t *testing.T, b *Block) {
	t.Helper()
	path := filepath.Join(s.dir, "example.test")
	if err := os.WriteFile(path, []byte(b.Text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := goldentest.RunFile(context.Background(), path, false); err != nil {
		t.Errorf("line %d: %v", b.Line, err)
	}
}

func (s *session) runSQL(t *testing.T, b *Block) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := s.sql.Script(ctx, diag.Source{Text: b.Text})
	for _, q := range s.e.Active() {
		if k := q.Plan.Trigger; k != nil && (k.Kind == ast.TriggerAvailableNow || k.Kind == ast.TriggerOnce) {
			if end := q.Await(ctx); end != nil {
				err = end
				fmt.Fprintf(s.err, "error: %v\n", end)
			}
		}
	}
	got := s.said(err)
	if err != nil && !saysError(b) {
		t.Errorf("line %d: the block fails, and no output below it says so:\n%s", b.Line, got)
	}
	return got
}

// said is what a block printed. Queries print beside the shell, so notes come first, and
// errors last.
func (s *session) said(err error) string {
	out, notes := s.out.take(), s.err.take()
	if err != nil {
		return out + notes
	}
	return notes + out
}

func saysError(b *Block) bool { return b.Output != nil && strings.Contains(b.Output.Text, "error") }

// runCommands runs the commands of the program in a block, in the page's directory.
// go run ./cmd/sqlstream is the same program, run from the root of the repository.
func (s *session) runCommands(t *testing.T, b *Block) string {
	t.Helper()
	for line := range strings.Lines(strings.ReplaceAll(b.Text, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		args, ok := strings.CutPrefix(line, "go run ./cmd/sqlstream ")
		dir := s.dir
		if ok {
			dir = repository(t)
		} else if args, ok = strings.CutPrefix(line, "sqlstream "); !ok {
			t.Fatalf("line %d: %q is no command of the program: say above the block why it does not run", b.Line, line)
		}
		s.command(t, b, dir, args)
	}
	return s.out.take()
}

func (s *session) command(t *testing.T, b *Block, dir, args string) {
	t.Helper()
	text := quoteProgram(binary(t)) + " " + args
	cmd := exec.Command("sh", "-c", text)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	s.out.Write(out)
	if err != nil && !saysError(b) {
		t.Errorf("line %d: %s: %v\n%s", b.Line, args, err, out)
	}
}

func quoteProgram(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// repository is a copy of what commands of the README need, so that they leave nothing
// behind in the work tree.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "docs", "demo"), os.DirFS(Root+"/docs/demo")); err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{"out", ".sqlstream"} {
		if err := os.RemoveAll(filepath.Join(dir, "docs", "demo", made)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var program struct {
	once sync.Once
	path string
	err  error
}

// binary builds the program once.
func binary(t *testing.T) string {
	t.Helper()
	program.once.Do(func() {
		dir, err := os.MkdirTemp("", "sqlstream-docs")
		if err != nil {
			program.err = err
			return
		}
		program.path = filepath.Join(dir, "sqlstream")
		cmd := exec.Command("go", "build", "-o", program.path, "./cmd/sqlstream")
		cmd.Dir = Root
		if out, err := cmd.CombinedOutput(); err != nil {
			program.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if program.err != nil {
		t.Fatal(program.err)
	}
	return program.path
}

func TestMain(m *testing.M) {
	code := m.Run()
	if program.path != "" {
		os.RemoveAll(filepath.Dir(program.path))
	}
	os.Exit(code)
}

// trimLines removes blanks at the end of lines and of the text.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
