package oracle

import (
	"context"
	"os"
	"testing"
)

// folder is where the recorded cases are: SQLSTREAM_ORACLE_DIR, or the shared folder
// beside the repository, "" if there is none.
func folder() string {
	if dir := os.Getenv("SQLSTREAM_ORACLE_DIR"); dir != "" {
		return dir
	}
	const beside = "../../../shared/oracle/cases"
	if _, err := os.Stat(beside); err != nil {
		return ""
	}
	return beside
}

func TestOracle(t *testing.T) {
	dir := folder()
	if dir == "" {
		t.Log("there is no folder of recorded cases: set SQLSTREAM_ORACLE_DIR")
		return
	}
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var tally Tally
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			v := Run(context.Background(), c, t.TempDir())
			tally.Add(c, v)
			switch v.Kind {
			case Failed:
				t.Errorf("%s [%s, %s, %s]: %s", c.Kind, c.Mode, c.Pacing, c.SQL, v)
			case Deviation, NotYet:
				t.Log(v)
			}
		})
	}
	t.Log("\n" + tally.String())
}
