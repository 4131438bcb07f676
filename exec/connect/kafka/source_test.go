package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

func TestReadsRangesAndGoesOn(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 2)
	w.write("a", 0, "x", "y")
	w.write("a", 1, "z")
	s := w.early("a")
	r := w.gives(s, `"x" | 0 | 0`, `"y" | 0 | 1`, `"z" | 1 | 0`)
	same(t, "offset", string(r.Offset), `{"a":{"0":2,"1":1}}`)
	parts, err := s.Partitions(r)
	w.must(err)
	same(t, "partitions", fmt.Sprint(parts), "[{a-0 true} {a-1 true}]")
	w.gives(s)
	w.write("a", 1, "u")
	next := w.gives(s, `"u" | 1 | 1`)
	same(t, "offset", string(next.Offset), `{"a":{"0":2,"1":2}}`)
	if len(next.Entries) != 1 || !strings.HasPrefix(string(next.Entries[0]), `{"topic":"a","partition":1,"from":1,"to":2,"id":"`) {
		t.Errorf("entries %s", next.Entries)
	}
	parts, _ = s.Partitions(next)
	same(t, "partitions", fmt.Sprint(parts), "[{a-0 false} {a-1 true}]")

	// A later run reads a logged range again, and goes on behind it.
	again := w.early("a")
	w.must(again.Restore(r))
	w.must(again.Restore(next))
	if got := w.rows(again, next); !slices.Equal(got, []string{`"u" | 1 | 1`}) {
		t.Errorf("got %q", got)
	}
	w.write("a", 0, "v")
	w.gives(again, `"v" | 0 | 2`)
	same(t, "description", s.Description(), "KafkaSource[a]")
}

// A partition of which a limit leaves something is at work, though the range has none of it.
func TestWhatALimitLeavesIsActive(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 2)
	w.write("a", 0, "x", "y")
	w.write("a", 1, "z")
	s := w.early("a")
	for _, want := range []string{"[{a-0 true} {a-1 true}]", "[{a-0 true} {a-1 true}]"} {
		r, ok := w.plan(s, source.Limits{Rows: 1}, nil)
		if !ok || len(r.Entries) != 1 {
			t.Fatalf("entries %s", r.Entries)
		}
		parts, err := s.Partitions(r)
		w.must(err)
		same(t, "partitions", fmt.Sprint(parts), want)
	}
}

func TestLatestIsLogged(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "old")
	s := w.open(w.config("topic", "a"))
	r, ok := w.plan(s, source.Limits{}, nil)
	if !ok || len(r.Entries) != 0 || string(r.Offset) != `{"a":{"0":1}}` {
		t.Fatalf("%v %s %s", ok, r.Offset, r.Entries)
	}
	w.write("a", 0, "new")
	again := w.open(w.config("topic", "a"))
	w.must(again.Restore(r))
	w.gives(again, `"new" | 0 | 1`)
	// Without a checkpoint there is nothing to log.
	c := w.config("topic", "a")
	c.Replay = false
	s = w.open(c)
	w.gives(s)
	w.write("a", 0, "newer")
	w.gives(s, `"newer" | 0 | 2`)
}

func TestStartingOffsets(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 2)
	for i := range 5 {
		r := message("a", 0, fmt.Sprint(i))
		r.Timestamp = time.UnixMilli(int64(1000 + 10*i))
		w.must(w.cl.ProduceSync(context.Background(), r).FirstErr())
	}
	w.write("a", 1, "z")
	for _, c := range []struct {
		opts []string
		want string
	}{
		{[]string{"starting_offsets", `{"a":{"0":3,"1":-1}}`}, "3/0 4/0"},
		{[]string{"startingOffsets", `{"a":{"0":-2,"1":-2}}`}, "0/0 1/0 2/0 3/0 4/0 z/1"},
		{[]string{"scan.startup.mode", "earliest-offset"}, "0/0 1/0 2/0 3/0 4/0 z/1"},
		{[]string{"starting_timestamp", "1021"}, "3/0 4/0"},
		{[]string{"starting_timestamp", "1970-01-01 00:00:01.020001"}, "3/0 4/0"},
		{[]string{"starting_offsets_by_timestamp", `{"a":{"0":1030,"1":5}}`}, "3/0 4/0 z/1"},
		{[]string{"starting_timestamp", "2030-01-01"}, ""},
	} {
		s := w.open(w.config(append(c.opts, "topic", "a")...))
		r, _ := w.plan(s, source.Limits{}, nil)
		var got []string
		for _, row := range w.rows(s, r) {
			f := strings.Split(row, " | ")
			got = append(got, strings.Trim(f[0], `"`)+"/"+f[1])
		}
		same(t, fmt.Sprint(c.opts), strings.Join(got, " "), c.want)
	}
	for offsets, want := range map[string]string{
		`{"a":{"0":3}}`:                   "starting_offsets says nothing of topic a, partition 1",
		`{"a":{"0":3,"1":0,"7":1}}`:       "starting_offsets names topic a, partition 7, which is not read",
		`{"a":{"0":99,"1":0}}`:            "starting_offsets says 99 for topic a, partition 0, which ends at offset 5",
		`{"a":{"0":0,"1":0},"b":{"0":0}}`: "names topic b, partition 0",
	} {
		s := w.open(w.config("topic", "a", "starting_offsets", offsets))
		_, _, err := s.Plan(context.Background(), source.Limits{}, nil)
		wantError(t, err, `source "k": `, want)
	}
}

func TestTables(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "x", "y", "z")
	for _, c := range []struct{ name, text, want string }{
		{"ending_offsets", "latest", "x y z"},
		{"ending_offsets", `{"a":{"0":2}}`, "x y"},
		{"ending_timestamp", "1000", ""},
		{"ending_timestamp", "1001", "x y z"},
	} {
		conf := w.config("topic", "a", c.name, c.text)
		conf.Finite = true
		s := w.open(conf)
		r, ok := w.plan(s, source.Limits{}, nil)
		if !s.Finished() {
			t.Error("not finished")
		}
		var got []string
		if ok {
			for _, row := range w.rows(s, r) {
				got = append(got, row[1:2])
			}
		}
		same(t, c.name+" "+c.text, strings.Join(got, " "), c.want)
		w.write("a", 0) // nothing
		w.gives(s)
	}
	conf := w.config("topic", "a", "ending_offsets", `{"a":{"0":9}}`)
	conf.Finite = true
	_, _, err := w.open(conf).Plan(context.Background(), source.Limits{}, nil)
	wantError(t, err, "ending_offsets says 9 for topic a, partition 0, which ends at offset 3")
}

func TestOptionsThatDoNotFit(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	for _, c := range []struct {
		opts []string
		want string
	}{
		{nil, "nothing says what to read"},
		{[]string{"topic", "a", "topic_pattern", "b"}, "topic and topic_pattern exclude each other"},
		{[]string{"topic", " , "}, "topic names none"},
		{[]string{"topic_pattern", "("}, `"(" is no regular expression`},
		{[]string{"assign", "a"}, "expected partitions by topic"},
		{[]string{"assign", `{"a":[4]}`}, "has no partition 4, which assign names: it has 1"},
		{[]string{"topic", "nix"}, `topic "nix" does not exist at the brokers`},
		{[]string{"topic", "a", "ending_offsets", "latest"}, "ending_offsets is for tables"},
		{[]string{"topic", "a", "starting_offsets", "soon"}, `starting_offsets is "soon", expected earliest, latest or a number`},
		{[]string{"topic", "a", "starting_offsets", `{"a":{"0":-3}}`}, "expected earliest, latest or a number"},
		{[]string{"topic", "a", "starting_timestamp", "yesterday"}, "expected a timestamp"},
		{[]string{"topic", "a", "starting_timestamp", "latest"}, "expected a time"},
		{[]string{"topic", "a", "starting_timestamp", "5", "starting_offsets", "latest"}, "exclude each other"},
		{[]string{"topic", "a", "key_columns", "value"}, "key_columns has no effect without key_format"},
		{[]string{"topic", "a", "key_format", "json"}, "key_format needs key_columns"},
		{[]string{"topic", "a", "key_format", "debezium-json"}, "is for values, not for keys"},
		{[]string{"topic", "a", "max_bytes_per_trigger", "1 MiB"}, "max_bytes_per_trigger does not apply to topics"},
		{[]string{"topic", "a", "format", "jsn"}, `unknown format "jsn"`},
	} {
		w.refused(w.config(c.opts...), c.want)
	}
	conf := w.config("topic", "a")
	conf.Columns = append(conf.Columns, column1("n", types.Of(types.Int64), ""))
	w.refused(conf, `column "n" is no part of a record`, "format = 'json'")
}

func TestLimitsAreShared(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		limit int64
		turn  int
		want  string
	}{
		{[]int64{10, 20}, 0, 0, "[10 20]"},
		{[]int64{10, 20}, 30, 0, "[10 20]"},
		{[]int64{100, 300, 0}, 40, 0, "[10 30 0]"},
		{[]int64{1, 100000}, 1000, 0, "[1 999]"},
		{[]int64{5, 5, 5}, 2, 0, "[1 1 0]"},
		{[]int64{5, 5, 5}, 2, 2, "[1 0 1]"},
		{[]int64{1, 1, 1, 7}, 9, 0, "[1 1 1 6]"},
	} {
		got := share(c.sizes, c.limit, c.turn)
		same(t, fmt.Sprint(c), fmt.Sprint(got), c.want)
	}
	w := newWorld(t)
	w.topic("a", 2)
	w.write("a", 0, "1", "2", "3", "4", "5", "6")
	w.write("a", 1, "7", "8", "9")
	s := w.early("a")
	r, _ := w.plan(s, source.Limits{Rows: 3}, nil)
	same(t, "offset", string(r.Offset), `{"a":{"0":2,"1":1}}`)
	if n, ok := s.Backlog(); n != 6 || !ok {
		t.Errorf("backlog %d %v", n, ok)
	}
	r, _ = w.plan(s, source.Limits{Rows: 3}, nil)
	same(t, "offset", string(r.Offset), `{"a":{"0":4,"1":2}}`)
}

func TestMinimumWaits(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	clk := clock.NewFake(time.Unix(1000, 0))
	c := w.config("topic", "a", "starting_offsets", "earliest", "min_offsets_per_trigger", "3", "max_trigger_delay", "1 minute")
	c.Clock = clk
	s := w.open(c)
	w.write("a", 0, "x")
	w.gives(s)
	clk.Advance(59 * time.Second)
	w.gives(s)
	clk.Advance(time.Second)
	w.gives(s, `"x" | 0 | 0`)
	w.write("a", 0, "y", "z", "u")
	w.gives(s, `"y" | 0 | 1`, `"z" | 0 | 2`, `"u" | 0 | 3`)
	w.write("a", 0, "v")
	snap, err := s.Snapshot(context.Background())
	w.must(err)
	w.givesUpTo(s, 0, snap, `"v" | 0 | 4`)
}

func TestSnapshot(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "x", "y", "z")
	s := w.early("a")
	snap, err := s.Snapshot(context.Background())
	w.must(err)
	w.write("a", 0, "later")
	w.morePartitions("a")
	w.write("a", 1, "new")
	w.givesUpTo(s, 2, snap, `"x" | 0 | 0`, `"y" | 0 | 1`)
	w.givesUpTo(s, 2, snap, `"z" | 0 | 2`)
	w.givesUpTo(s, 2, snap)
	w.gives(s, `"later" | 0 | 3`, `"new" | 1 | 0`)
}

func TestNewPartitionsAndTopics(t *testing.T) {
	w := newWorld(t)
	w.topic("a.1", 1)
	w.topic("other", 1)
	w.write("a.1", 0, "x")
	s := w.open(w.config("topic_pattern", `a\..*`))
	same(t, "description", s.Description(), `KafkaSource[a\..*]`)
	w.gives(s) // latest
	w.morePartitions("a.1")
	w.write("a.1", 1, "y")
	w.topic("a.2", 1)
	w.write("a.2", 0, "z")
	w.write("other", 0, "no")
	r := w.gives(s, `"y" | 1 | 0`, `"z" | 0 | 0`)
	same(t, "offset", string(r.Offset), `{"a.1":{"0":1,"1":1},"a.2":{"0":1}}`)
}

func TestAssign(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 3)
	for p := range int32(3) {
		w.write("a", p, fmt.Sprint(p))
	}
	s := w.open(w.config("assign", `{"a":[2,0]}`, "starting_offsets", "earliest"))
	w.gives(s, `"0" | 0 | 0`, `"2" | 2 | 0`)
}

// Records that are gone are told exactly.
func TestRetention(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "0", "1", "2", "3", "4", "5")
	strict, lax := w.early("a"), w.early("a", "fail_on_data_loss", "false")
	r, _ := w.plan(strict, source.Limits{}, nil)
	lr, _ := w.plan(lax, source.Limits{}, nil)
	var del kadm.Offsets
	del.AddOffset("a", 0, 4, -1)
	_, err := w.adm.DeleteRecords(context.Background(), del)
	w.must(err)
	_, err = readRange(strict, r, nil)
	wantError(t, err, `source "k": topic a, partition 0: offsets 0 to 3 (4) are gone`, "retention", "fail_on_data_loss = false")
	if got := w.rows(lax, lr); !slices.Equal(got, []string{`"4" | 0 | 4`, `"5" | 0 | 5`}) {
		t.Errorf("got %q", got)
	}
	l := lax.Losses()
	if len(l) != 1 || l[0].From != 0 || l[0].To != 4 || l[0].Partition != "a-0" {
		t.Errorf("losses %+v", l)
	}
}

func TestTopicDeleted(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "x", "y")
	s, lax := w.early("a"), w.early("a", "fail_on_data_loss", "false")
	r := w.gives(s, `"x" | 0 | 0`, `"y" | 0 | 1`)
	w.gives(lax, `"x" | 0 | 0`, `"y" | 0 | 1`)
	_, err := w.adm.DeleteTopics(context.Background(), "a")
	w.must(err)
	_, _, err = s.Plan(context.Background(), source.Limits{}, nil)
	wantError(t, err, "topic a was deleted", "0 to offset 2", "fail_on_data_loss = false")
	s.hub.cache.drop(s.hub.cache.used.Back())
	_, err = readRange(s, r, nil)
	wantError(t, err, "topic a, partition 0: offsets 0 to 1 (2) are gone: the topic was deleted")

	w.topic("a", 1)
	w.cl = w.client()
	w.write("a", 0, "u", "v", "w")
	_, _, err = s.Plan(context.Background(), source.Limits{}, nil)
	wantError(t, err, "topic a was deleted and created again")
	_, err = readRange(s, r, nil)
	wantError(t, err, "created again")
	w.gives(lax, `"u" | 0 | 0`, `"v" | 0 | 1`, `"w" | 0 | 2`)
	if l := lax.Losses(); len(l) != 1 || l[0].From != 2 || l[0].To != -1 {
		t.Errorf("losses %+v", l)
	}
	again := w.early("a")
	w.must(again.Restore(r))
	_, _, err = again.Plan(context.Background(), source.Limits{}, nil)
	wantError(t, err, "topic a was deleted and created again")
}

// Transactions: what was aborted is not read, nor what is open; ranges end by position.
func TestTransactions(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	ctx := context.Background()
	tx := w.client(kgo.TransactionalID("t"))
	run := func(commit kgo.TransactionEndTry, vals ...string) {
		w.must(tx.BeginTransaction())
		for _, v := range vals {
			w.must(tx.ProduceSync(ctx, message("a", 0, v)).FirstErr())
		}
		w.must(tx.EndTransaction(ctx, commit))
	}
	w.write("a", 0, "plain")       // 0
	run(kgo.TryCommit, "c1", "c2") // 1 2, marker 3
	run(kgo.TryAbort, "a1", "a2")  // 4 5, marker 6
	w.write("a", 0, "plain2")      // 7
	run(kgo.TryCommit, "c3")       // 8, marker 9
	s := w.early("a")
	r := w.gives(s, `"plain" | 0 | 0`, `"c1" | 0 | 1`, `"c2" | 0 | 2`, `"plain2" | 0 | 7`, `"c3" | 0 | 8`)
	same(t, "offset", string(r.Offset), `{"a":{"0":10}}`)
	limited := w.early("a")
	w.givesUpTo(limited, 3, nil, `"plain" | 0 | 0`, `"c1" | 0 | 1`, `"c2" | 0 | 2`)
	w.givesUpTo(limited, 1, nil)
	w.givesUpTo(limited, 4, nil, `"plain2" | 0 | 7`)

	w.must(tx.BeginTransaction())
	w.must(tx.ProduceSync(ctx, message("a", 0, "open")).FirstErr())
	w.write("a", 0, "behind")
	w.gives(s)
	w.gives(w.early("a", "isolation_level", "read_uncommitted"), `"plain" | 0 | 0`, `"c1" | 0 | 1`, `"c2" | 0 | 2`, `"a1" | 0 | 4`, `"a2" | 0 | 5`,
		`"plain2" | 0 | 7`, `"c3" | 0 | 8`, `"open" | 0 | 10`, `"behind" | 0 | 11`)
	w.must(tx.EndTransaction(ctx, kgo.TryCommit))
	w.gives(s, `"open" | 0 | 10`, `"behind" | 0 | 11`)
}

// The oldest brokers that the connector talks to, and some in between.
func TestOldBrokers(t *testing.T) {
	for _, v := range []*kversion.Versions{kversion.V0_11_0(), kversion.V1_1_0(), kversion.V2_0_0(), kversion.V2_8_0(), kversion.V3_0_0(), kversion.V3_6_0()} {
		w := newWorld(t, kfake.MaxVersions(v))
		w.topic("a", 1)
		tx := w.client(kgo.TransactionalID("t"))
		for _, commit := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
			w.must(tx.BeginTransaction())
			w.must(tx.ProduceSync(context.Background(), message("a", 0, fmt.Sprint(commit))).FirstErr())
			w.must(tx.EndTransaction(context.Background(), commit))
		}
		s := w.open(w.config("topic", "a", "starting_timestamp", "5"))
		w.gives(s, `"true" | 0 | 2`)
		var del kadm.Offsets
		del.AddOffset("a", 0, 6, -1)
		w.write("a", 0, "x", "y")
		r, _ := w.plan(s, source.Limits{}, nil)
		if v.HasKey(21) {
			_, err := w.adm.DeleteRecords(context.Background(), del)
			w.must(err)
			_, err = readRange(s, r, nil)
			wantError(t, err, "offsets 4 to 5 (2) are gone")
		}
	}
}
