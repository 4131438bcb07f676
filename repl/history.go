package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// historyLimit is how many statements are kept.
const historyLimit = 1000

// History is the list of statements of earlier sessions and of this one, in a file with
// one statement a line: line breaks are written \n, backslashes \\.
type History struct {
	path    string // "" = kept in memory alone
	entries []string
}

// OpenHistory reads the file, which need not exist. Too long a file is shortened.
func OpenHistory(path string) (*History, error) {
	h := &History{path: path}
	if path == "" {
		return h, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("history: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			h.entries = append(h.entries, unescapeLine(line))
		}
	}
	if len(h.entries) > 2*historyLimit {
		h.entries = h.entries[len(h.entries)-historyLimit:]
		return h, h.rewrite()
	}
	return h, nil
}

// Entries lists the statements, oldest first.
func (h *History) Entries() []string { return h.entries }

// Add appends a statement, unless it repeats the last one.
func (h *History) Add(text string) error {
	text = strings.TrimSpace(text)
	if text == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1] == text {
		return nil
	}
	h.entries = append(h.entries, text)
	if h.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	_, err = f.WriteString(escapeLine(text) + "\n")
	return errors.Join(err, f.Close())
}

// rewrite replaces the file by the entries.
func (h *History) rewrite() error {
	tmp, err := os.CreateTemp(filepath.Dir(h.path), ".history-")
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	w := bufio.NewWriter(tmp)
	for _, e := range h.entries {
		w.WriteString(escapeLine(e) + "\n") //nolint:errcheck // Flush reports it
	}
	if err := errors.Join(w.Flush(), tmp.Close()); err != nil {
		return errors.Join(fmt.Errorf("history: %w", err), os.Remove(tmp.Name()))
	}
	return os.Rename(tmp.Name(), h.path)
}

func escapeLine(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(text)
}

func unescapeLine(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' || i+1 == len(line) {
			b.WriteByte(line[i])
			continue
		}
		i++
		switch line[i] {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		default:
			b.WriteByte(line[i])
		}
	}
	return b.String()
}
