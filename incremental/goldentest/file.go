// Package goldentest runs golden test files (*.test): SQL statements, the rows that
// enter in each trigger, and what every query must give. It is `sqlstream test`,
// for users and for ourselves; docs/formats/golden-test.md describes the files. It
// drives the engine as any program would and knows none of its insides. Open this
// file first, then run.go and variants.go.
package goldentest

import (
	"fmt"
	"os"
	"strings"
)

// File is a parsed test file.
type File struct {
	Path   string
	Blocks []*Block
	tail   []string // comments after the last block
}

// Block is one command of a file.
type Block struct {
	Line     int      // of the command, from 1
	lead     []string // blank and comment lines before it
	Command  string
	Args     string
	Body     []string
	Checked  bool // has a line ----
	Expected []string
}

const rule = "----"

// commands lists what may start a block, and whether the command has arguments.
var commands = map[string]bool{"setup": false, "query": true, "trigger": true, "clock": true, "restart": false,
	"select": false, "explain": true, "error": false, "final": true}

// ReadFile parses a test file.
func ReadFile(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse reads the text of a test file.
func Parse(path, text string) (*File, error) {
	f := &File{Path: path}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	var lead []string
	for i := 0; i < len(lines); {
		if line := strings.TrimSpace(lines[i]); line == "" || strings.HasPrefix(line, "#") {
			lead = append(lead, lines[i])
			i++
			continue
		}
		b := &Block{Line: i + 1, lead: lead}
		lead = nil
		next, err := b.parse(lines, i)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, b.Line, err)
		}
		f.Blocks = append(f.Blocks, b)
		i = next
	}
	f.tail = lead
	return f, nil
}

// parse reads a block from its command line to the blank line that ends it.
func (b *Block) parse(lines []string, i int) (int, error) {
	b.Command, b.Args, _ = strings.Cut(strings.TrimSpace(lines[i]), " ")
	b.Args = strings.TrimSpace(b.Args)
	if _, ok := commands[b.Command]; !ok {
		return 0, fmt.Errorf("unknown command %q: a block begins with setup, query, trigger, clock, restart, select, explain, error or final", b.Command)
	}
	for i++; i < len(lines) && strings.TrimSpace(lines[i]) != ""; i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "#"):
			return 0, fmt.Errorf("a comment stands within the block of %s: put it before the block", b.Command)
		case strings.TrimSpace(line) == rule && !b.Checked:
			b.Checked = true
		case b.Checked:
			b.Expected = append(b.Expected, strings.TrimRight(line, " \t"))
		default:
			b.Body = append(b.Body, line)
		}
	}
	return i, nil
}

// String prints the file as it would be written, with the expected parts as they are
// in the blocks now.
func (f *File) String() string {
	var out []string
	for _, b := range f.Blocks {
		out = append(out, b.lead...)
		out = append(out, strings.TrimSpace(b.Command+" "+b.Args))
		out = append(out, b.Body...)
		if b.Checked {
			out = append(append(out, rule), b.Expected...)
		}
	}
	return strings.Join(append(out, f.tail...), "\n") + "\n"
}

// text is the body as SQL.
func (b *Block) text() string { return strings.Join(b.Body, "\n") }

// names and settings split the arguments: "q mode=append restart=no".
func (b *Block) arguments() (names []string, settings map[string]string) {
	settings = map[string]string{}
	for _, w := range strings.Fields(b.Args) {
		if k, v, ok := strings.Cut(w, "="); ok {
			settings[k] = v
		} else {
			names = append(names, w)
		}
	}
	return names, settings
}
