package conformance

import (
	"regexp"
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
		if literal && with == "TIMESTAMP_NTZ" { // its text may have a zone, which counts for nothing
			text := toks[last+1]
			e.replace(t.start, text.end, "CAST("+text.text+" AS TIMESTAMP_NTZ)")
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

// duckOffset writes the offset from UTC of an instant: its minutes only where it has them,
// its seconds never.
func duckOffset(us int64, zone *time.Location) string {
	_, off := time.UnixMicro(us).In(zone).Zone()
	layout := "-07:00"
	if off%3600 == 0 {
		layout = "-07"
	}
	return time.UnixMicro(us).In(zone).Format(layout)
}

var duckFraction = regexp.MustCompile(`^'\s*([+-]?\d+)\.\d*\s*'$`)

// duckWholeUnits cuts the fraction of INTERVAL '1.5' DAY: only seconds and milliseconds have one.
func duckWholeUnits(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+2 < len(toks); i++ {
		m := duckFraction.FindStringSubmatch(toks[i+1].text)
		if unit := strings.ToLower(toks[i+2].text); toks[i].is("interval") && m != nil && !strings.HasPrefix(unit, "sec") && !strings.HasPrefix(unit, "milli") && toks[i+2].kind == word {
			e.replace(toks[i+1].start, toks[i+1].end, "'"+m[1]+"'")
		}
	}
	return e.done()
}

var duckShortYear = regexp.MustCompile(`^'\s*(-?)(\d{1,3})(-\d\d?-\d\d?\b[^(]*)'$`)

// duckYears pads the year of a literal of a time with less than four digits.
func duckYears(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		m := duckShortYear.FindStringSubmatch(t.text)
		typed := i > 0 && timeName(toks[i-1]) || i+2 < len(toks) && toks[i+1].text == "::" && timeName(toks[i+2])
		if t.kind == text && m != nil && typed {
			e.replace(t.start, t.end, "'"+m[1]+strings.Repeat("0", 4-len(m[2]))+m[2]+m[3]+"'")
		}
	}
	return e.done()
}

// timeName reports the name of a type of dates or timestamps, theirs or ours.
func timeName(t token) bool {
	low := strings.ToLower(t.text)
	return t.kind == word && (low == "date" || low == "timestamp_ntz" || duckStampTypes[low] != "")
}
