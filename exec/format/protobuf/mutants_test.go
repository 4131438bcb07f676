//go:build mutants

package protobuf

import (
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
)

// killed reports whether messages are read otherwise than they mean.
func killed(t *testing.T) bool {
	text := `syntax = "proto3"; message M { sint32 a = 1; oneof o { int32 x = 2; string y = 3; } }`
	r, err := newReader(config(t, mustColumns(t, text), "protobuf_schema", text))
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := formattest.ReadMessages(r, 3, formattest.Messages([]byte("\x08\x03\x10\x05\x1a\x01a"), []byte("\x08\x02")))
	if err != nil {
		t.Fatal(err)
	}
	return !slices.Equal(rows, []string{`0: -2 | NULL | "a"`, "1: 1 | NULL | NULL"})
}

func TestMutants(t *testing.T) {
	if killed(t) {
		t.Fatal("without a mutant the rows differ")
	}
	for _, name := range []string{"protobuf: a oneof keeps all of its members", "protobuf: sint32 is read without its zigzag"} {
		t.Run(name, func(t *testing.T) {
			defer mutant.Activate(name)()
			if !killed(t) {
				t.Error("it lives")
			}
		})
	}
}

func mustColumns(t *testing.T, text string) []types.Column {
	f, err := parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	cols, err := (&messageType{f.Messages().Get(0)}).columns()
	if err != nil {
		t.Fatal(err)
	}
	return cols
}
