package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/incremental/goldentest"
	"github.com/sqlstream/sqlstream/repl/output"
)

// program has the streams and flags of one run.
type program struct {
	in       *os.File
	out, err io.Writer

	texts          texts
	batch          bool
	workers        int
	checkpointRoot string
	output         string
	null           *string
	progress       string
	vars           map[string]string
	keepGoing      bool
	noInit         bool
}

const longHelp = `sqlstream keeps the answers of SQL queries over growing tables up to date.

  sqlstream                     a shell; without a terminal, SQL from standard input
  sqlstream -f query.sql        runs a script and waits for its queries
  sqlstream -c "SELECT 1"       runs statements; -c and -f run in the order given
  sqlstream "SELECT 1"          the same

Relative paths and the default checkpoint root, .sqlstream/checkpoints, start at the
directory of the script; without -f at the working directory.

Exit status: 0 done, 1 a query failed while running, 2 wrong usage or SQL error, 3 a
source or sink cannot be reached at start, 130 interrupted. The first SIGINT or SIGTERM
ends queries after the trigger under way, the second at once.`

// command is the command line.
func (p *program) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "sqlstream [flags] [SQL]...", Short: "Streaming SQL over files", Long: longHelp,
		Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true, Version: version(),
		RunE: func(cmd *cobra.Command, args []string) error { return p.main(cmd.Context(), args) },
	}
	cmd.SetOut(p.out)
	cmd.SetErr(p.err)
	cmd.SetVersionTemplate("sqlstream {{.Version}}\n")
	p.flags(cmd)
	cmd.AddCommand(p.serveCommand(), p.testCommand(), p.checkCommand(), p.explainCommand(), p.versionCommand())
	return cmd
}

func (p *program) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.VarP(textFlag{&p.texts, true}, "file", "f", "run the statements of a file; may be repeated")
	f.VarP(textFlag{&p.texts, false}, "command", "c", "run these statements; may be repeated")
	f.BoolVar(&p.batch, "batch", false, "read every source once, as a finite table")
	f.IntVar(&p.workers, "workers", 0, "how many cores to use; 0 = all")
	f.StringVar(&p.checkpointRoot, "checkpoint-root", "", "where queries that name no checkpoint keep theirs")
	f.StringVar(&p.output, "output", "", "how rows are printed: "+strings.Join(output.Formats(), ", ")+" (default table on a terminal, else csv)")
	f.Var(nullFlag{&p.null}, "null", "how NULL is printed (default NULL in tables, nothing in csv and tsv)")
	f.StringVar(&p.progress, "progress", "auto", "auto: a status line on a terminal; json: each trigger as a line of JSON on standard error; off")
	f.VarP(varFlag{&p.vars}, "var", "v", "name=value for ${name} in the text; names in capitals are left to the environment")
	f.BoolVar(&p.keepGoing, "keep-going", false, "go on after a statement that failed")
	f.BoolVar(&p.noInit, "no-init", false, "do not run the user's init.sql in the shell")
	complete := func(name string, values ...string) {
		//nolint:errcheck // the flag exists
		cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	complete("output", output.Formats()...)
	complete("progress", "auto", "json", "off")
	cmd.MarkFlagFilename("file", "sql") //nolint:errcheck // the flag exists
}

func (p *program) testCommand() *cobra.Command {
	var update bool
	var pattern string
	cmd := &cobra.Command{
		Use: "test [--update] [--run REGEX] PATH...", Short: "Run golden test files", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := goldentest.Options{Update: update, Out: p.out}
			if pattern != "" {
				re, err := regexp.Compile(pattern)
				if err != nil {
					return usage("--run: %w", err)
				}
				o.Run = re
			}
			n, err := goldentest.Run(cmd.Context(), args, o)
			switch {
			case err != nil:
				return usage("%w", err)
			case n > 0:
				return &exitError{status: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "write the expected parts anew")
	cmd.Flags().StringVar(&pattern, "run", "", "only files whose path matches")
	return cmd
}

func (p *program) checkCommand() *cobra.Command {
	return p.dryCommand("check", "Report every error of a script, and start nothing", p.check)
}

func (p *program) explainCommand() *cobra.Command {
	return p.dryCommand("explain", "Show the plan of every query of a script, and start nothing", p.explain)
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Show the version", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintf(p.out, "sqlstream %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		}}
}

// version is what the build knows of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	switch v := info.Main.Version; {
	case v != "" && v != "(devel)":
		return v
	case i >= 0:
		return info.Settings[i].Value[:min(12, len(info.Settings[i].Value))]
	}
	return "devel"
}
