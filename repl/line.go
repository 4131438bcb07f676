package repl

import (
	"errors"
	"io"
	"os"

	"github.com/chzyer/readline"
)

// Reader reads lines from a user.
type Reader interface {
	// Read shows the prompt and returns a line without its end. ErrInterrupt is Ctrl-C,
	// io.EOF is Ctrl-D on an empty line.
	Read(prompt string) (string, error)
	// Remember puts a whole statement into the history.
	Remember(statement string) error
	Close() error
}

// ErrInterrupt says that the user gave up the line.
var ErrInterrupt = errors.New("interrupted")

// Terminal is the Reader of a terminal, with editing, history and completion.
type Terminal struct {
	rl      *readline.Instance
	history *History
	out     io.Writer
}

// NewTerminal opens the terminal of the process.
func NewTerminal(h *History, c *Completer) (*Terminal, error) {
	cfg := &readline.Config{
		Stdin:                  newPasteFilter(readline.NewCancelableStdin(os.Stdin)),
		HistoryLimit:           historyLimit,
		HistorySearchFold:      true,
		DisableAutoSaveHistory: true,
		AutoComplete:           c,
		InterruptPrompt:        "^C",
		EOFPrompt:              "\n",
	}
	if WantsColour() {
		cfg.Painter = &Painter{c}
	}
	rl, err := readline.NewEx(cfg)
	if err != nil {
		return nil, err
	}
	t := &Terminal{rl: rl, history: h, out: os.Stdout}
	for _, e := range h.Entries() {
		if err := rl.SaveHistory(e); err != nil {
			return nil, errors.Join(err, rl.Close())
		}
	}
	return t, nil
}

// Read implements Reader. Bracketed paste is on while it waits.
func (t *Terminal) Read(prompt string) (string, error) {
	io.WriteString(t.out, pasteOn)        //nolint:errcheck // the prompt fails next
	defer io.WriteString(t.out, pasteOff) //nolint:errcheck // the prompt fails next
	t.rl.SetPrompt(prompt)
	line, err := t.rl.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		err = ErrInterrupt
	}
	return line, err
}

// Remember implements Reader.
func (t *Terminal) Remember(statement string) error {
	return errors.Join(t.rl.SaveHistory(statement), t.history.Add(statement))
}

// Close implements Reader.
func (t *Terminal) Close() error { return t.rl.Close() }

// Stdout writes to the terminal; the line being edited is drawn again below.
func (t *Terminal) Stdout() io.Writer { return t.rl.Stdout() }

// Stderr writes to the terminal; the line being edited is drawn again below.
func (t *Terminal) Stderr() io.Writer { return t.rl.Stderr() }

// Width is the number of columns of the terminal.
func Width() int {
	if w := readline.GetScreenWidth(); w > 0 {
		return w
	}
	return 80
}

// Height is the number of lines of the terminal.
func Height() int {
	if _, h, err := readline.GetSize(int(os.Stdout.Fd())); err == nil && h > 0 {
		return h
	}
	return 24
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return readline.IsTerminal(int(f.Fd())) }
