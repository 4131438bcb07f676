package repl

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/repl/output"
)

// dotCommand is a command of the shell. Each can be written .name and \name; twins are
// further spellings, as psql has them.
type dotCommand struct {
	name, args, doc string
	twins           []string
	run             func(s *Shell, ctx context.Context, args []string) error
}

// dotCommands lists the commands, in the order of .help.
func dotCommands() []dotCommand {
	return []dotCommand{
		{"help", "", "Shows this list.", []string{`\?`, `\h`}, (*Shell).dotHelp},
		{"quit", "", "Leaves; running queries end after their trigger.", []string{`\q`, ".exit"}, (*Shell).dotQuit},
		{"tables", "[PATTERN]", "Lists sources, tables, views and sinks.", []string{`\dt`}, (*Shell).dotTables},
		{"describe", "[NAME]", "Shows the columns of an object; without a name like .tables.", []string{`\d`}, (*Shell).dotDescribe},
		{"schema", "[NAME]", "Shows the statements that made the objects.", nil, (*Shell).dotSchema},
		{"functions", "[PATTERN]", "Lists the functions whose name is like a pattern, all without one.", []string{`\df`}, (*Shell).dotFunctions},
		{"queries", "", "Lists the queries.", nil, statement("SHOW QUERIES")},
		{"progress", "[QUERY]", "Shows the last trigger of each query.", nil, statement("SHOW PROGRESS")},
		{"watermarks", "[QUERY]", "Shows the watermarks of each source.", nil, statement("SHOW WATERMARKS")},
		{"state", "[QUERY]", "Shows the state of each operator.", nil, statement("SHOW STATE")},
		{"settings", "", "Lists what SET knows.", nil, statement("SHOW SETTINGS")},
		{"timer", "on|off", "Prints how long statements take.", []string{`\timing`}, (*Shell).dotTimer},
		{"output", "FORMAT", "How rows are printed: " + strings.Join(output.Formats(), ", ") + ".", []string{".mode"}, (*Shell).dotOutput},
		{"read", "FILE", "Runs the statements of a file.", []string{`\i`}, (*Shell).dotRead},
	}
}

// isDot reports whether a line is a command of the shell.
func isDot(line string) bool {
	return len(line) > 0 && (line[0] == '.' || line[0] == '\\')
}

// dotNames lists the commands that begin with . or \.
func dotNames(first string) []string {
	var out []string
	for _, c := range dotCommands() {
		out = append(out, first+c.name)
		for _, t := range c.twins {
			if strings.HasPrefix(t, first) {
				out = append(out, t)
			}
		}
	}
	return out
}

// dot runs a command.
func (s *Shell) dot(ctx context.Context, line string) error {
	words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(line), ";"))
	if len(words) == 0 {
		return nil
	}
	for _, c := range dotCommands() {
		if words[0][1:] == c.name || slices.Contains(c.twins, words[0]) {
			return c.run(s, ctx, words[1:])
		}
	}
	if best := diag.DidYouMean(words[0], dotNames(words[0][:1])); best != "" {
		return fmt.Errorf("there is no command %s: did you mean %s?", words[0], best)
	}
	return fmt.Errorf("there is no command %s: .help lists them", words[0])
}

// sql runs statements that the shell makes up.
func (s *Shell) sql(ctx context.Context, text string) error {
	return s.typed(ctx, diag.Source{Text: text + ";"})
}

// statement is a command that is short for SHOW … [FOR query].
func statement(text string) func(*Shell, context.Context, []string) error {
	return func(s *Shell, ctx context.Context, args []string) error {
		if len(args) == 0 {
			return s.sql(ctx, text)
		}
		return s.sql(ctx, text+" FOR "+quoted(args[0]))
	}
}

// quoted is a name for use in a statement, as it was typed if it has quotes or parts.
func quoted(name string) string {
	if strings.ContainsAny(name, "\"`.") {
		return name
	}
	return `"` + name + `"`
}

func (s *Shell) dotHelp(context.Context, []string) error {
	for _, c := range dotCommands() {
		left := strings.TrimSpace("." + c.name + " " + c.args)
		if len(c.twins) > 0 {
			left += "  (" + strings.Join(c.twins, ", ") + ")"
		}
		fmt.Fprintf(s.Out, "%-34s %s\n", left, c.doc)
	}
	fmt.Fprint(s.Out, `A \ may stand for the dot. Statements end with a semicolon.
Ctrl-C gives up the input, or stops the running statement; Ctrl-D leaves.
Tab completes; Ctrl-R searches the history; Alt-B and Alt-F move by words.
`)
	return nil
}

func (s *Shell) dotQuit(context.Context, []string) error {
	s.quit = true
	return nil
}

func (s *Shell) dotTables(ctx context.Context, args []string) error {
	return s.showLike(ctx, "SHOW TABLES", args)
}

func (s *Shell) dotFunctions(ctx context.Context, args []string) error {
	return s.showLike(ctx, "SHOW FUNCTIONS", args)
}

func (s *Shell) showLike(ctx context.Context, sql string, args []string) error {
	if len(args) > 0 {
		sql += " LIKE '" + strings.ReplaceAll(args[0], "'", "''") + "'"
	}
	return s.sql(ctx, sql)
}

func (s *Shell) dotDescribe(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return s.dotTables(ctx, nil)
	}
	return s.sql(ctx, "DESCRIBE "+quoted(args[0]))
}

func (s *Shell) dotSchema(ctx context.Context, args []string) error {
	found := false
	for _, o := range s.Engine.Catalog().Objects() {
		if len(args) > 0 && !strings.EqualFold(args[0], o.ObjectName()) {
			continue
		}
		found = true
		if err := s.sql(ctx, "SHOW CREATE "+o.ObjectKind().String()+" "+quoted(o.ObjectName())); err != nil {
			return err
		}
	}
	if !found && len(args) > 0 {
		return s.dotDescribe(ctx, args) // which says what is wrong
	}
	return nil
}

func (s *Shell) dotTimer(_ context.Context, args []string) error {
	switch {
	case len(args) == 0:
		s.timer = !s.timer
	case args[0] == "on" || args[0] == "off":
		s.timer = args[0] == "on"
	default:
		return fmt.Errorf(".timer is on or off, not %q", args[0])
	}
	return nil
}

func (s *Shell) dotOutput(_ context.Context, args []string) error {
	if len(args) == 0 {
		return s.text(string(s.Format))
	}
	f, err := output.Parse(args[0])
	if err != nil {
		return err
	}
	s.Format = f
	return nil
}

// dotRead runs a file. Its relative paths start where those of the shell do.
func (s *Shell) dotRead(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf(".read needs a file")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	s.lines(ctx, args[0], string(text))
	return nil
}

// lines runs a text that may have commands of the shell on lines of their own, between
// statements. Errors are printed, with their place in the file.
func (s *Shell) lines(ctx context.Context, name, text string) {
	var sql strings.Builder
	run := func() {
		if err := s.Script(ctx, diag.Source{Name: name, Text: sql.String()}); err != nil && ctx.Err() != nil {
			s.tell(err)
		}
	}
	skipped := 0
	for line := range strings.Lines(text) {
		skipped++
		if !isDot(line) || state(sql.String()) == open {
			sql.WriteString(line)
			continue
		}
		run()
		sql.Reset()
		sql.WriteString(strings.Repeat("\n", skipped)) // positions stay those of the file
		if err := s.dot(ctx, line); err != nil {
			s.Report(err)
		}
	}
	run()
}

// Init runs the user's file of first statements, if there is one.
func (s *Shell) Init(ctx context.Context, path string) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		s.Report(err)
		return
	}
	s.lines(ctx, path, string(text))
}
