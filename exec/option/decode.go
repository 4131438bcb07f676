package option

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// Decoded holds checked option values. Its getters panic on a name or type that the
// specs do not have: that is a bug of the connector, not of the user.
type Decoded struct {
	entries map[string]entry // by canonical name
}

type entry struct {
	spec  Spec
	value Value
	given bool
	text  string // Enum: the canonical spelling
	num   int64
	bool  bool
}

// Open decodes, for a connector that is being opened, what is its own among the values
// of a statement. References must have been resolved.
func Open(specs []Spec, values []Value) (Decoded, error) {
	own := Only(specs, values)
	d, err := Decode(specs, own)
	if err != nil {
		return d, err
	}
	for _, v := range own {
		if HasReference(v.Text) && !v.Hidden {
			return d, diag.NewError(nil, diag.Errorf(diag.UnresolvedSecret, v.Span, "option %q has a ${…} reference that was not resolved", v.Name))
		}
	}
	return d, nil
}

// Decode checks values against specs. All independent errors come at once, as a
// *diag.Error. Names match regardless of case and underscores, so Spark's
// maxFilesPerTrigger is max_files_per_trigger. A value with an unresolved ${…}
// reference is not checked (`sqlstream check` must not need the secrets); its getter
// gives the default.
func Decode(specs []Spec, values []Value) (Decoded, error) {
	d := decoder{out: Decoded{entries: make(map[string]entry, len(specs))}, byName: map[string]Spec{}}
	for _, s := range specs {
		d.byName[fold(s.Name)] = s
		for _, a := range s.Aliases {
			d.byName[fold(a)] = s
		}
	}
	for _, v := range values {
		if d.byName[fold("rules")].Name != "" && fieldOption(v) != nil {
			d.fieldRules(values, v)
			continue
		}
		d.take(specs, v)
	}
	d.fillDefaults(specs, values)
	if len(d.errs) > 0 {
		return Decoded{}, diag.NewError(nil, d.errs...)
	}
	return d.out, nil
}

type decoder struct {
	out    Decoded
	byName map[string]Spec
	errs   []*diag.Diagnostic
}

func (d *decoder) take(specs []Spec, v Value) {
	s, ok := d.byName[fold(v.Name)]
	if !ok {
		e := diag.Errorf(diag.UnknownOption, v.NameSpan, "unknown option %q", v.Name)
		e.Hint = unknownHint(v.Name, specs)
		d.errs = append(d.errs, e)
		return
	}
	if old, twice := d.out.entries[s.Name]; twice {
		e := diag.Errorf(diag.OptionTwice, v.NameSpan, "option %q is given twice", s.Name)
		if old.value.Name != v.Name {
			e.Message = "option \"" + s.Name + "\" is given twice, as \"" + old.value.Name + "\" and as \"" + v.Name + "\""
		}
		d.errs = append(d.errs, e)
		return
	}
	e, err := parse(s, v)
	if err != nil {
		d.errs = append(d.errs, err)
	}
	d.out.entries[s.Name] = e
}

func (d *decoder) fillDefaults(specs []Spec, values []Value) {
	for _, s := range specs {
		if _, ok := d.out.entries[s.Name]; ok {
			continue
		}
		if s.Required {
			d.errs = append(d.errs, diag.Errorf(diag.MissingOption, listSpan(values), "option %q is required", s.Name).
				WithHint("%s", s.Doc))
			continue
		}
		e, err := parse(s, Value{Name: s.Name, Text: s.Default})
		if err != nil && s.Default != "" {
			panic("option: bad default of " + s.Name + ": " + err.Error())
		}
		e.given = false
		d.out.entries[s.Name] = e
	}
}

// listSpan covers all values: where a missing option would stand.
func listSpan(values []Value) diag.Span {
	var span diag.Span
	for _, v := range values {
		span = diag.Join(span, diag.Join(v.NameSpan, v.Span))
	}
	return span
}

// elsewhere are options of other systems, and what is written here.
var elsewhere = map[string]string{
	"kafka_topic": "write connector = 'kafka', topic = '…'", "value_format": "write format = 'json'", "key": "write key_format = '…', or PRIMARY KEY in the columns",
	"partitions": "leave it out: the topic has them", "replicas": "leave it out: the topic has them", "bootstrap.servers": "write brokers = 'host:9092'",
	"properties.bootstrap.servers": "write brokers = 'host:9092'", "kafka.bootstrap.servers": "write brokers = 'host:9092'",
	"timestamp": "declare a watermark: WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE", "timestamp_format": "declare the column as TIMESTAMP",
	"subscribe": "write topic = '…'", "scan.interval": "write TRIGGER EVERY '1 minute' behind the query", "retention.ms": "leave it out",
	"checkpointlocation": "write WITH (checkpoint = '…') behind the query", "schema_name": "write it before the table: table = 'schema.table'", "schema-name": "write it before the table: table = 'schema.table'", "decoding.plugin.name": "leave it out: it is pgoutput, which every server has",
	"value.fields-include": "leave it out: every column is read from the value", "filename": "declare a column for it: CREATE TABLE t (…, file STRING METADATA FROM 'path') WITH (path = 'in', …)",
	"union_by_name": "leave it out: columns are found by their names", "hive_partitioning": "leave it out: directories key=value are columns",
	"properties.bootstrap.server": "write brokers = 'host:9092'", "database.name": "write database = '…'", "schema.name": "write it before the table: table = 'schema.table'",
	"table.name": "write table = 'schema.table'", "publication.name": "write publication = '…'", "publication_name": "write publication = '…'", "publication-name": "write publication = '…'",
	"driver": "leave it out", "server_time_zone": "leave it out", "file_format": "write format = '…'", "wrap_single_value": "leave it out",
}

func unknownHint(name string, specs []Spec) string {
	if write := elsewhere[strings.ToLower(name)]; write != "" {
		return write
	}
	if write := ofFlink(name); write != "" {
		return write
	}
	if h := diag.HintDidYouMean(name, Names(specs)); h != "" {
		return h
	}
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return "the options are " + strings.Join(names, ", ")
}

func parse(s Spec, v Value) (entry, *diag.Diagnostic) {
	e := entry{spec: s, value: v, given: true, text: v.Text}
	if HasReference(v.Text) && !v.Hidden {
		e, err := parse(s, Value{Name: s.Name, Text: s.Default})
		if s.Default == "" {
			err = nil
		}
		e.value, e.given = v, true
		return e, err
	}
	var problem string
	switch s.Type {
	case Int:
		e.num, problem = parseInt(v.Text)
	case Bool:
		e.bool, problem = parseBool(v.Text)
	case Duration:
		e.num, problem = micros(v.Text)
	case Size:
		e.num, problem = size(v.Text)
	case Enum:
		return enum(s, e)
	default:
		if !s.Required || v.Text != "" {
			return e, nil
		}
		return e, badValue(s, v, "some text")
	}
	if problem == "" && s.Type != Bool {
		problem = bounds(s, e.num)
	}
	if problem != "" {
		return e, badValue(s, v, problem)
	}
	return e, nil
}

func badValue(s Spec, v Value, problem string) *diag.Diagnostic {
	shown := strconv.Quote(v.Text)
	if v.Hidden || s.Type == Secret {
		shown = "(hidden)"
	}
	return diag.Errorf(diag.BadOptionValue, v.Span, "option %q is %s, expected %s", s.Name, shown, problem)
}

func enum(s Spec, e entry) (entry, *diag.Diagnostic) {
	for _, name := range s.Values {
		if fold(name) == fold(e.text) {
			e.text = name
			return e, nil
		}
	}
	if !e.given || e.text == "" && s.Default == "" {
		return e, nil
	}
	d := badValue(s, e.value, "one of "+strings.Join(s.Values, ", "))
	if !e.value.Hidden {
		d.Hint = diag.HintDidYouMean(e.text, s.Values)
	}
	return e, d
}

// bounds checks a number; the text says what was expected instead.
func bounds(s Spec, n int64) string {
	show := func(n int64) string { return strconv.FormatInt(n, 10) }
	if s.Type == Duration {
		show = FormatDuration
	}
	switch {
	case s.Max > 0 && (n < s.Min || n > s.Max):
		return "a " + s.Type.String() + " from " + show(s.Min) + " to " + show(s.Max)
	case n < s.Min:
		return "a " + s.Type.String() + " of at least " + show(s.Min)
	}
	return ""
}

func parseInt(text string) (int64, string) {
	n, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(text), "_", ""), 10, 64)
	if err != nil {
		return 0, "a whole number"
	}
	return n, ""
}

func parseBool(text string) (bool, string) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "on", "yes", "1":
		return true, ""
	case "false", "off", "no", "0":
		return false, ""
	}
	return false, "true or false"
}

// fold makes names comparable: max_files_per_trigger = maxFilesPerTrigger.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

func (d Decoded) entry(name string, want ...Type) entry {
	e, ok := d.entries[name]
	if !ok {
		panic("option: no option named " + name)
	}
	if slices.Contains(want, e.spec.Type) {
		return e
	}
	panic("option: " + name + " is a " + e.spec.Type.String())
}

// Has reports whether the user gave the option.
func (d Decoded) Has(name string) bool {
	return d.entry(name, Text, Int, Bool, Duration, Size, Enum, Secret).given
}

// Set reports whether the option has a value, given or by default.
func (d Decoded) Set(name string) bool {
	e := d.entry(name, Text, Int, Bool, Duration, Size, Enum, Secret)
	return e.given || e.spec.Default != ""
}

// Span is where the value stands; zero if it was not given.
func (d Decoded) Span(name string) diag.Span { return d.entries[name].value.Span }

// Text returns the value of a Text, Enum or Secret option; "" if it has none.
func (d Decoded) Text(name string) string { return d.entry(name, Text, Enum, Secret).text }

// Enum returns the canonical spelling of an Enum option.
func (d Decoded) Enum(name string) string { return d.entry(name, Enum).text }

// Int returns the value of an Int option; 0 if it has none.
func (d Decoded) Int(name string) int64 { return d.entry(name, Int).num }

// Bool returns the value of a Bool option.
func (d Decoded) Bool(name string) bool { return d.entry(name, Bool).bool }

// Micros returns the value of a Duration option in µs.
func (d Decoded) Micros(name string) int64 { return d.entry(name, Duration).num }

// Size returns the value of a Size option in bytes.
func (d Decoded) Size(name string) int64 { return d.entry(name, Size).num }

// Only returns the values that the specs describe: a connector's own among those that
// the planner reads itself.
func Only(specs []Spec, values []Value) []Value {
	known := map[string]bool{}
	for _, name := range Names(specs) {
		known[fold(name)] = true
	}
	var out []Value
	for _, v := range values {
		if known[fold(v.Name)] {
			out = append(out, v)
		}
	}
	return out
}

// Find returns the text of the option of a name, aliases not considered, before
// anything is decoded (the planner needs connector and format to know the specs).
func Find(values []Value, name string) (Value, bool) {
	for _, v := range values {
		if fold(v.Name) == fold(name) {
			return v, true
		}
	}
	return Value{}, false
}
