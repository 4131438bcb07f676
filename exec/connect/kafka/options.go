package kafka

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// sourceOptions describe the source; those of the formats come on top.
func sourceOptions() []option.Spec {
	return append(append(whatOptions(), boundOptions()...), append(readOptions(), clientOptions()...)...)
}

// whatOptions say which topics are read, and what their records look like.
func whatOptions() []option.Spec {
	return []option.Spec{
		{Name: "topic", Aliases: []string{"topics", "subscribe"}, Type: option.Text,
			Doc: "The topic, or several separated by commas."},
		{Name: "topic_pattern", Aliases: []string{"topics_pattern", "subscribe_pattern"}, Type: option.Text,
			Doc: "Every topic whose whole name matches this regular expression, those that come later too."},
		{Name: "assign", Type: option.Text,
			Doc: `Only these partitions: '{"orders":[0,1]}'.`},
		{Name: "format", Aliases: []string{"value_format", "value.format"}, Type: option.Text,
			Doc: "How the value of a record is laid out. Without it, or with format = 'raw', the columns are those of the record itself: they are matched by name, and one other column of type BYTES or STRING is the value."},
		{Name: "key_format", Aliases: []string{"key.format"}, Type: option.Text,
			Doc: "How the key of a record is laid out; it fills key_columns."},
		{Name: "key_columns", Aliases: []string{"key_fields", "key.fields"}, Type: option.Text,
			Doc: "The columns that are in the key, separated by commas; by default those of the PRIMARY KEY. The others are in the value."},
	}
}

// boundOptions say where reading begins and ends.
func boundOptions() []option.Spec {
	return []option.Spec{
		{Name: "starting_offsets", Aliases: []string{"scan.startup.mode"}, Type: option.Text,
			Doc: `Where a new query begins: 'earliest', 'latest', or for each partition a number, −2 for earliest or −1 for latest: '{"orders":{"0":23,"1":-2}}'. ` +
				"By default latest for a source and earliest for a table. Partitions that come later are read from their beginning."},
		{Name: "starting_timestamp", Aliases: []string{"scan.startup.timestamp-millis"}, Type: option.Text,
			Doc: "Begin with the first record of each partition at or after this time (a timestamp, or milliseconds since 1970); at its end if there is none."},
		{Name: "starting_offsets_by_timestamp", Type: option.Text,
			Doc: `The same with a time in milliseconds for each partition: '{"orders":{"0":1700000000000}}'.`},
		{Name: "ending_offsets", Aliases: []string{"scan.bounded.mode"}, Type: option.Text,
			Doc: "Where a table ends: 'latest' (what is there when it is read), or an offset for each partition, which is not read any more."},
		{Name: "ending_timestamp", Aliases: []string{"scan.bounded.timestamp-millis"}, Type: option.Text,
			Doc: "A table ends before the first record of each partition at or after this time."},
		{Name: "ending_offsets_by_timestamp", Type: option.Text,
			Doc: "The same with a time in milliseconds for each partition."},
	}
}

// readOptions say how much is read when, and what happens if something is missing.
func readOptions() []option.Spec {
	return []option.Spec{
		{Name: "min_offsets_per_trigger", Aliases: []string{"min_rows_per_trigger"}, Type: option.Int, Min: 0,
			Doc: "A micro-batch waits for so many new records, but not longer than max_trigger_delay."},
		{Name: "max_trigger_delay", Type: option.Duration, Min: 1, Default: "15 minutes",
			Doc: "With min_offsets_per_trigger: how long records may wait for others."},
		{Name: "idle_timeout", Type: option.Duration, Default: "1 minute",
			Doc: "A partition that delivers nothing for so long stops holding the watermark back; 0 = it always does."},
		{Name: "isolation_level", Aliases: spelled("isolation.level"), Type: option.Enum, Values: []string{"read_committed", "read_uncommitted"}, Default: "read_committed",
			Doc: "Whether records of transactions are read only once these are committed."},
		{Name: "fail_on_data_loss", Type: option.Bool, Default: "true",
			Doc: "What happens if records are gone before they were read (retention, a topic that was deleted or created again): the query fails and says which offsets are missing, or goes on with what is there and reports them."},
		{Name: "discovery_interval", Aliases: []string{"partition_discovery_interval", "scan.topic-partition-discovery.interval"}, Type: option.Duration, Min: 0, Default: "10 seconds",
			Doc: "How often brokers are asked for new partitions and topics; 0 = in each trigger."},
		{Name: "group_id", Aliases: spelled("group.id"), Type: option.Text,
			Doc: "A consumer group to which committed offsets are published, so that tools see how far the query is. It is never read: the checkpoint knows where to go on."},
		{Name: "publish_offsets", Type: option.Bool, Default: "true",
			Doc: "With group_id: whether offsets are published."},
		{Name: "fetch_max_wait_ms", Aliases: spelled("fetch.max.wait.ms"), Type: option.Int, Min: 1, Max: 60_000, Default: "500",
			Doc: "How long a broker may wait for records that it said are there."},
		{Name: "max_partition_fetch_bytes", Aliases: spelled("max.partition.fetch.bytes"), Type: option.Int, Min: 1, Max: 1 << 30, Default: "1048576",
			Doc: "The most bytes that one request asks for. A batch of records that is larger comes whole."},
	}
}

// options are the decoded options of a source.
type options struct {
	set        settings
	topics     []string
	pattern    *regexp.Regexp
	assign     map[string][]int32
	start, end bound
	minRows    int64
	maxDelay   time.Duration
	fetching   fetching
	failOnLoss bool
	discovery  time.Duration
	group      string // "" = none
	value, key *format.Format
	valueOpts  option.Decoded
	keyOpts    option.Decoded
	keyColumns []string
	valueAt    diag.Span // where the format is named
	keyAt      diag.Span
	byColumn   bool // a field of the value says what became of the row
}

func decodeOptions(formats []*format.Format, c source.Config, at surroundings) (options, error) {
	d, err := option.Open(sourceOptions(), c.Options)
	if err != nil {
		return options{}, err
	}
	o := options{
		topics: split(d.Text("topic")), minRows: d.Int("min_offsets_per_trigger"), maxDelay: micros(d, "max_trigger_delay"),
		failOnLoss: d.Bool("fail_on_data_loss"), discovery: micros(d, "discovery_interval"), keyColumns: split(d.Text("key_columns")),
		fetching: fetching{committed: d.Enum("isolation_level") == "read_committed", maxWaitMs: int32(d.Int("fetch_max_wait_ms")),
			partitionBytes: int32(d.Int("max_partition_fetch_bytes"))},
	}
	if d.Bool("publish_offsets") {
		o.group = d.Text("group_id")
	}
	if o.set, err = decodeSettings(d, at); err != nil {
		return options{}, err
	}
	k := &checker{d: d, at: at}
	k.limits(c)
	o.what(k)
	o.bounds(k, c)
	o.formats(k, formats, c)
	if len(k.errs) > 0 {
		return options{}, diag.NewError(nil, k.errs...)
	}
	return o, nil
}

// limits refuses those that records have no say in.
func (k *checker) limits(c source.Config) {
	for _, name := range []string{"max_files_per_trigger", "max_bytes_per_trigger"} {
		if v, ok := option.Find(c.Options, name); ok {
			k.errs = append(k.errs, diag.Errorf(diag.OptionConflict, v.NameSpan, "%s does not apply to topics", name).WithHint("max_offsets_per_trigger does"))
		}
	}
}

func split(list string) []string {
	var out []string
	for _, x := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ';' }) {
		if x = strings.TrimSpace(x); x != "" {
			out = append(out, x)
		}
	}
	return out
}

// what reads the options that name topics: there is one of them.
func (o *options) what(k *checker) {
	given := slices.DeleteFunc([]string{"topic", "topic_pattern", "assign"}, func(n string) bool { return !k.d.Has(n) })
	switch {
	case len(given) == 0:
		k.errorf(diag.MissingOption, "brokers", "nothing says what to read").WithHint("topic, topic_pattern or assign does")
	case len(given) > 1:
		k.errorf(diag.OptionConflict, given[1], "%s and %s exclude each other", given[0], given[1])
	case given[0] == "topic" && len(o.topics) == 0:
		k.errorf(diag.BadOptionValue, "topic", "topic names none")
	}
	slices.Sort(o.topics)
	o.topics = slices.Compact(o.topics)
	if p := k.d.Text("topic_pattern"); p != "" {
		var err error
		if o.pattern, err = regexp.Compile("^(?:" + p + ")$"); err != nil {
			k.errorf(diag.BadOptionValue, "topic_pattern", "%q is no regular expression: %s", p, err)
		}
	}
	if a := k.d.Text("assign"); a != "" {
		if err := json.Unmarshal([]byte(a), &o.assign); err != nil || len(o.assign) == 0 || !sound(o.assign) {
			k.errorf(diag.BadOptionValue, "assign", "assign is %q, expected partitions by topic", a).WithHint(`assign = '{"orders":[0,1]}'`)
		}
		o.topics = sortedKeys(o.assign)
	}
}

// sound sorts the partitions of each topic, and reports whether they are such.
func sound(assign map[string][]int32) bool {
	for t, ps := range assign {
		slices.Sort(ps)
		assign[t] = slices.Compact(ps)
		if t == "" || len(ps) == 0 || ps[0] < 0 {
			return false
		}
	}
	return true
}

// bound is where reading begins or ends.
type bound struct {
	option  string // that says so, for messages
	at      int64  // atStart, atEnd or ms since 1970, for every partition that is not in each
	each    map[string]map[int32]int64
	isTime  bool // each has times, not offsets
	onlyFor bool // partitions that are not in each have none
}

// moving reports that the bound is another one tomorrow.
func (b bound) moving() bool {
	if b.isTime || b.at != atStart && !b.onlyFor {
		return true
	}
	for _, ps := range b.each {
		for _, x := range ps {
			if x == atEnd {
				return true
			}
		}
	}
	return false
}

func (o *options) bounds(k *checker, c source.Config) {
	o.start = k.bound("starting", c.Zone)
	o.end = k.bound("ending", c.Zone)
	if o.start.option == "" {
		o.start = bound{at: atEnd}
		if c.Finite {
			o.start.at = atStart
		}
	}
	if o.end.option == "" {
		o.end.at = atEnd
	} else if !c.Finite {
		k.errorf(diag.OptionConflict, o.end.option, "%s is for tables: a source has no end", o.end.option).WithHint("declare it with CREATE TABLE")
	}
	if o.end.option == "ending_offsets" && o.end.at == atStart {
		k.errorf(diag.BadOptionValue, "ending_offsets", "ending_offsets is 'earliest': there would be no rows")
	}
	if c.Finite && o.start.option == "starting_offsets" && o.start.at == atEnd && !o.start.onlyFor {
		k.errorf(diag.BadOptionValue, "starting_offsets", "starting_offsets is 'latest', but a table ends there: it would have no rows")
	}
}

// bound reads the options for one end; option is "" if there is none.
func (k *checker) bound(side string, zone *time.Location) bound {
	var out bound
	for _, name := range []string{side + "_offsets", side + "_timestamp", side + "_offsets_by_timestamp"} {
		if !k.d.Has(name) {
			continue
		}
		if out.option != "" {
			k.errorf(diag.OptionConflict, name, "%s and %s exclude each other", out.option, name)
			continue
		}
		out = k.parseBound(name, k.d.Text(name), zone)
	}
	return out
}

func (k *checker) parseBound(name, text string, zone *time.Location) bound {
	b := bound{option: name, isTime: !strings.HasSuffix(name, "_offsets")}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "earliest", "earliest-offset":
		b.at = atStart
	case "latest", "latest-offset":
		b.at = atEnd
	default:
		if strings.HasSuffix(name, "_timestamp") && !strings.Contains(name, "_by_") {
			return k.moment(b, text, zone)
		}
		if err := json.Unmarshal([]byte(text), &b.each); err == nil && len(b.each) > 0 && b.sound() {
			b.onlyFor = true
			return b
		}
		k.errorf(diag.BadOptionValue, name, "%s is %q, expected earliest, latest or a number for each partition", name, text).
			WithHint(`%s = '{"orders":{"0":23,"1":-1}}'`, name)
		return b
	}
	if b.isTime {
		k.errorf(diag.BadOptionValue, name, "%s is %q, expected a time", name, text)
	}
	return b
}

// sound reports that the numbers are offsets or times.
func (b bound) sound() bool {
	least := int64(atStart)
	if b.isTime {
		least = 0
	}
	for _, ps := range b.each {
		for p, x := range ps {
			if p < 0 || x < least {
				return false
			}
		}
	}
	return true
}

// moment reads a timestamp or milliseconds.
func (k *checker) moment(b bound, text string, zone *time.Location) bound {
	if ms, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && ms >= 0 {
		b.at = ms
		return b
	}
	if zone == nil {
		zone = time.UTC
	}
	us, err := types.ParseTimestamp(text, zone)
	if err != nil || us < 0 {
		k.errorf(diag.BadOptionValue, b.option, "%s is %q, expected a timestamp or milliseconds since 1970", b.option, text)
		return b
	}
	b.at = (us + 999) / 1000
	return b
}

// formats finds the formats of value and key, and decodes what is theirs.
func (o *options) formats(k *checker, all []*format.Format, c source.Config) {
	o.valueAt, o.keyAt = k.d.Span("format"), k.d.Span("key_format")
	o.value, o.valueOpts = k.format("format", all, c)
	o.key, o.keyOpts = k.format("key_format", all, c)
	if o.value == nil && !k.d.Has("format") {
		o.value, o.valueOpts = k.named("raw", "format", all, c)
	}
	switch {
	case o.key == nil && len(o.keyColumns) > 0:
		k.errorf(diag.MissingOption, "key_columns", "key_columns has no effect without key_format").WithHint("key_format = 'json', or 'raw' for one column of BYTES or STRING")
	case o.key != nil && o.key.Changes == format.ByEnvelope:
		k.errorf(diag.BadOptionValue, "key_format", "the format %s is for values, not for keys", o.key.Name)
	}
	op, _ := option.Find(c.Options, "op_column")
	log, _ := option.Find(c.Options, "changelog")
	o.byColumn = o.value != nil && o.value.Changes == format.ByColumn && (op.Text != "" || strings.EqualFold(log.Text, "true"))
}

func (k *checker) format(opt string, all []*format.Format, c source.Config) (*format.Format, option.Decoded) {
	if !k.d.Has(opt) {
		return nil, option.Decoded{}
	}
	return k.named(k.d.Text(opt), opt, all, c)
}

func (k *checker) named(name, opt string, all []*format.Format, c source.Config) (*format.Format, option.Decoded) {
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
		if !strings.EqualFold(f.Name, name) && !slices.ContainsFunc(f.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			continue
		}
		d, err := option.Open(f.ReadOptions, c.Options)
		if list, ok := err.(*diag.Error); ok {
			k.errs = append(k.errs, list.Diagnostics...)
		}
		return f, d
	}
	d := k.errorf(diag.BadOptionValue, opt, "unknown format %q", name)
	if d.Hint = diag.HintDidYouMean(name, names); d.Hint == "" {
		d.Hint = "the formats are " + strings.Join(names, ", ")
	}
	return nil, option.Decoded{}
}
