package conformance

import (
	"strings"
	"time"
)

// duckStamps writes the types of times: TIMESTAMP is a wall clock, TIMESTAMPTZ an instant.
func duckStamps(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		with := duckStampTypes[strings.ToLower(t.text)]
		if t.kind != word || with == "" || i+1 < len(toks) && toks[i+1].text == "." {
			continue
		}
		last := i
		if i+1 < len(toks) && toks[i+1].text == "(" && i+3 < len(toks) && toks[i+2].kind == number {
			last = closing(toks, i+1)
		}
		literal := last+1 < len(toks) && toks[last+1].kind == text
		if !literal && (i == 0 || !typePlace(toks, i) || duckNames(toks[i-1]) || toks[i-1].is("as") && !duckEndsCast(toks, last+1)) {
			continue
		}
		if zoned, ok := duckWithZone(toks, last+1); ok {
			if last += 3; zoned {
				with = "TIMESTAMP"
			}
		}
		e.replace(t.start, toks[min(last, len(toks)-1)].end, with)
	}
	return e.done()
}

// duckNames reports a word that a name follows, which may be that of a type.
func duckNames(t token) bool {
	return namesObject(t) || t.is("from") || t.is("join") || t.is("update") || t.is("on") || t.is("using") || t.is("distinct")
}

// duckEndsCast reports what can stand behind a type in CAST(… AS type), not behind an alias.
func duckEndsCast(toks []token, i int) bool {
	return i < len(toks) && (toks[i].text == ")" || toks[i].text == "[" || toks[i].is("with") || toks[i].is("without"))
}

// duckStampTypes are their types with what they are here. Those of seconds, milliseconds and
// nanoseconds hold microseconds.
var duckStampTypes = map[string]string{"timestamp": "TIMESTAMP_NTZ", "datetime": "TIMESTAMP_NTZ", "timestamptz": "TIMESTAMP", "timestamptz_ns": "TIMESTAMP", "timestamp_us": "TIMESTAMP_NTZ",
	"timestamp_s": "TIMESTAMP_NTZ", "timestamp_ms": "TIMESTAMP_NTZ", "timestamp_ns": "TIMESTAMP_NTZ"}

// duckWithZone reports WITH TIME ZONE or WITHOUT TIME ZONE at i.
func duckWithZone(toks []token, i int) (zoned, ok bool) {
	if i+2 >= len(toks) || !toks[i+1].is("time") || !toks[i+2].is("zone") {
		return false, false
	}
	return toks[i].is("with"), toks[i].is("with") || toks[i].is("without")
}

// duckOffset writes the offset from UTC of an instant: its minutes and seconds only where it
// has them.
func duckOffset(us int64, zone *time.Location) string {
	_, off := time.UnixMicro(us).In(zone).Zone()
	layout := "-07"
	switch {
	case off%60 != 0:
		layout = "-07:00:00"
	case off%3600 != 0:
		layout = "-07:00"
	}
	return time.UnixMicro(us).In(zone).Format(layout)
}

// timeName reports the name of a type of dates or timestamps, theirs or ours.
func timeName(t token) bool {
	low := strings.ToLower(t.text)
	return t.kind == word && (low == "date" || low == "timestamp_ntz" || duckStampTypes[low] != "")
}
