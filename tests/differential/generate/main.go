// Generate writes the cases of tests/differential as lines of JSON, for record.py. It
// starts in the directory of the module.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/tests/differential"
)

// longest is the length of an answer that is worth recording.
const longest = 1500

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	r, err := builtin.Functions()
	if err != nil {
		return err
	}
	have, err := differential.Functions("tests/differential/testdata")
	if err != nil {
		return err
	}
	here, err := differential.NewHere()
	if err != nil {
		return err
	}
	defer here.Close()
	out := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, c := range differential.Cases(r, have) {
		answer := here.Ask(context.Background(), c)
		if len(fmt.Sprint(answer.Rows)) > longest {
			continue
		}
		c.Solo = answer.Err != ""
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return out.Flush()
}
