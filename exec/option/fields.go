package option

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// ofFlink is what to write for options that Flink has for each format and for its files, and
// RisingWave for its sinks, "" for others.
func ofFlink(name string) string {
	name = strings.ToLower(name)
	has := func(ends ...string) bool {
		return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
	}
	switch {
	case strings.HasPrefix(name, "sink.partition-commit."), strings.HasPrefix(name, "sink.rolling-policy."):
		return "leave it out: the files of a batch appear together, when it is committed"
	case has(".ignore-parse-errors"):
		return "write on_error = 'skip', which counts the rows that it leaves out"
	case has(".fail-on-missing-field"):
		return "leave it out: a member that is missing is NULL; declare the column NOT NULL where it must be there"
	case has(".schema-include"):
		return "leave it out: a schema beside the change is found by itself"
	case has("avro-confluent.url", "avro-confluent.schema-registry.url"):
		return "write schema_registry = 'http://host:8081'"
	case has(".timestamp-format.standard"):
		return "leave it out: times are read with T and with a blank"
	case name == "force_append_only", name == "type":
		return "leave it out: EMIT APPEND, UPDATE or CHANGELOG behind the query says how changes leave"
	case name == "sink_decouple", name == "snapshot":
		return "leave it out: a sink gets the rows of each trigger, from the first row on"
	case has("source.monitor-interval"):
		return "leave it out: each trigger looks for new files"
	}
	return ""
}

// fieldOption takes Flink's datagen option fields.NAME.PROPERTY apart; nil if v is none.
func fieldOption(v Value) []string {
	parts := strings.Split(v.Name, ".")
	if len(parts) != 3 || !strings.EqualFold(parts[0], "fields") || parts[1] == "" {
		return nil
	}
	return parts
}

// fieldRules refuses the options of all columns at once, at the first of them, with the rules
// that say the same.
func (d *decoder) fieldRules(values []Value, first Value) {
	i := slices.IndexFunc(values, func(v Value) bool { return fieldOption(v) != nil })
	if values[i] != first {
		return
	}
	props, columns := map[string]string{}, []string(nil)
	for _, v := range values {
		if parts := fieldOption(v); parts != nil {
			props[parts[1]+"."+strings.ToLower(parts[2])] = v.Text
			if !slices.Contains(columns, parts[1]) {
				columns = append(columns, parts[1])
			}
		}
	}
	var rules []string
	for _, c := range columns {
		rules = append(rules, fieldRule(c, func(name string) string { return props[c+"."+name] }))
	}
	d.errs = append(d.errs, diag.Errorf(diag.UnknownOption, first.NameSpan, "unknown option %q", first.Name).
		WithHint("write rules = '%s'", strings.Join(rules, "; ")))
}

// fieldRule is the rule of a column by Flink's properties.
func fieldRule(column string, get func(string) string) string {
	or := func(text, other string) string {
		if text != "" {
			return text
		}
		return other
	}
	switch {
	case get("kind") == "sequence":
		return column + ": sequence from " + or(get("start"), "1")
	case get("length") != "":
		return column + ": string " + get("length")
	default:
		return column + ": random " + or(get("min"), "1") + " to " + or(get("max"), "100")
	}
}
