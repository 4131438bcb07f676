package avro

import (
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
)

const eventSchema = `{"type":"record","name":"Envelope","fields":[
	{"name":"before","type":["null",{"type":"record","name":"Value","fields":[{"name":"id","type":"long"},{"name":"name","type":["null","string"]}]}]},
	{"name":"after","type":["null","Value"]},
	{"name":"source","type":["null","string"]},
	{"name":"op","type":["null","string"]}]}`

// readEvents reads events, each "op;before;after" with images "id name", "-" = NULL; "" = no value.
func readEvents(t *testing.T, key []int, onError format.OnError, events ...string) (rows, bad []string, err error) {
	t.Helper()
	var texts [][]byte
	for _, e := range events {
		if e == "" {
			texts = append(texts, nil)
			continue
		}
		parts := strings.Split(e, ";")
		texts = append(texts, message(t, 0, eventSchema, imageOf(parts[1]), imageOf(parts[2]), nil, textOf(parts[0]))[5:])
	}
	c := config(t, []types.Column{{Name: "id", Type: types.Of(types.Int64)}, {Name: "name", Type: types.Of(types.String)}}, "avro_schema", eventSchema)
	c.Messages, c.Key, c.OnError = true, key, onError
	r, err := change.NewReader(Debezium(), c, key)
	if err != nil {
		t.Fatal(err)
	}
	rows, reported, err := formattest.ReadMessages(r, 2, formattest.Messages(texts...))
	for _, b := range reported {
		bad = append(bad, b.Position+": "+b.Reason)
	}
	return rows, bad, err
}

func textOf(word string) any {
	if word == "-" {
		return nil
	}
	return word
}

func imageOf(text string) any {
	if text == "-" {
		return nil
	}
	id, name, _ := strings.Cut(text, " ")
	return []any{int64(id[0] - '0'), textOf(name)}
}

// Events are those of debezium-json, in another coat.
func TestDebeziumEvents(t *testing.T) {
	whole := []string{"c;-;1 a", "r;-;2 -", "u;1 a;1 b", "d;2 -;-", "", "u;1 b;3 b"}
	for _, test := range []struct {
		key    []int
		events []string
		rows   []string
		bad    []string
	}{
		{nil, whole, []string{"0: +1 1 | \"a\"", "1: +1 2 | NULL", "2: -1 1 | \"a\"", "2: +1 1 | \"b\"", "3: -1 2 | NULL", "5: -1 1 | \"b\"", "5: +1 3 | \"b\""}, nil},
		{[]int{0}, whole, []string{"0: +1 1 | \"a\"", "1: +1 2 | NULL", "2: +1 1 | \"b\"", "3: -1 2 | NULL", "5: -1 1 | \"b\"", "5: +1 3 | \"b\""}, nil},
		{[]int{0}, []string{"u;-;1 a", "d;-;-", "c;-;-", "t;-;-", "-;-;1 a", "c;-;4 d"}, []string{"0: +1 1 | \"a\"", "5: +1 4 | \"d\""}, []string{
			`message 1: a deletion without the PRIMARY KEY in "before"`, `message 2: "op" is "c", and there is no "after"`,
			`message 3: "op" is "t": truncations and messages change no row that is known`, `message 4: no change event: it has no "op"`}},
		{nil, []string{"u;-;1 a"}, nil, []string{`message 0: an update without "before"; declare a PRIMARY KEY, or let the origin send whole rows (PostgreSQL: REPLICA IDENTITY FULL)`}},
	} {
		rows, bad, err := readEvents(t, test.key, format.Skip, test.events...)
		if err != nil || !slices.Equal(rows, test.rows) || !slices.Equal(bad, test.bad) {
			t.Errorf("%v\n%q\n%q %v\nwant\n%q\n%q", test.events, rows, bad, err, test.rows, test.bad)
		}
	}
	if _, _, err := readEvents(t, nil, format.Fail, "c;-;1 a", "x;-;-"); err == nil || !strings.Contains(err.Error(), `message 1: "op" is "x", not c, r, u or d`) {
		t.Errorf("under fail: %v", err)
	}
}
