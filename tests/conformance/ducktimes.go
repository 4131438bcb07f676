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
		if part := duckPrecision(toks[i : last+1]); part != "" && (literal || i > 1 && toks[i-1].text == "::" && duckAlone(toks, i-2)) {
			from, x := t.start, ""
			if literal {
				x, last = toks[last+1].text, last+1
			} else {
				from, x = toks[i-2].start, toks[i-2].text
			}
			e.replace(from, toks[last].end, "date_trunc('"+part+"', CAST("+x+" AS TIMESTAMP_NTZ) + INTERVAL '"+map[bool]string{true: "500", false: "500000"}[part == "millisecond"]+"' MICROSECOND)")
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

// duckPrecisions are the units that their coarser types round to.
var duckPrecisions = map[string]string{"timestamp_s": "second", "timestamp_ms": "millisecond"}

// duckPrecision is the unit of a type, which may have a number of digits.
func duckPrecision(toks []token) string {
	if len(toks) == 4 && toks[0].is("timestamp") {
		return map[string]string{"0": "second", "1": "millisecond", "2": "millisecond", "3": "millisecond"}[toks[2].text]
	}
	return duckPrecisions[strings.ToLower(toks[0].text)]
}

// duckAlone reports a token that is all of the operand of a cast.
func duckAlone(toks []token, i int) bool {
	before := i == 0 || toks[i-1].text == "(" || toks[i-1].text == "," || toks[i-1].is("select")
	return before && (toks[i].kind == text || toks[i].kind == word)
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

var duckShortYear = regexp.MustCompile(`^'\s*(-?)(\d{1,3})(-\d\d?-\d\d?\b[^(]*(\(BC\)[^(]*)?)'$`)

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

// duckTimeReasons are why statements about times fail, and why that stays.
var duckTimeReasons = []explanation{
	because("dates and timestamps reach from the year -140000 to 140000", "duckdb/test/sql", `('5877642-|'5881580-|'-5877641-|'29(0|4)\d{3}-|'291000-|'-268535|'-217208|'-204873|'292555|'-4869706|year \d{6} is out of range|overflow.*2562047788)`, refused, follows),
	because("dates and timestamps reach from the year -140000 to 140000: text of another is NULL", "duckdb/test/sql/types", `try_cast\('(5877642|5881580|290309|294247)-`, wrong),
	because("a timestamp has microseconds", "duckdb/test/sql/function/timestamp/make_date", `make_timestamp_ns`, refused),
	because("a timestamp has microseconds", "duckdb/test/sql/function/timestamp/test_date_part", `make_timestamp_ns`, refused),
	because("a unit that is none gives NULL, as in Spark", "duckdb/test/sql/function", `date_trunc\('duck', timestamp`, accepted),
	because("an era and an ISO year are no lengths that differences are counted in", "duckdb/test/sql/function/timestamp", `date_?sub needs a unit`, refused),
	because("an ISO year is no part of an INTERVAL", "duckdb/test/sql/function/interval", `no unit 'isoyear' of an INTERVAL`, refused),
	because("ISO 8601 intervals may lack their zeros", "duckdb/test/sql/types/interval/test_interval", `'P2MT1H1M'`, accepted),
	because("a column of UNNEST without an alias is called col", "duckdb/test/sql/types/list/unnest_table_function", `unknown column "unnest"`, refused),
	because("the unit of a difference is a constant", "duckdb/test/sql/function/timestamp/test_icu_datediff", `datediff needs a unit.*date_diff\(part,`, refused),
	because("text that is no time in its whole length is none, as in Spark", "duckdb/test/sql/types", `(cast\(|select )'(\d\d:){1,2}'`, refused, wrong),
	because("text that is no time in its whole length is none, as in Spark", "duckdb/test/sql/types/time/time_try_cast", `'11/11/11'`, wrong),
	because("text of a date is none of a TIME", "duckdb/test/sql", `not a TIME: '\d{4}-\d\d-\d\d'`, refused),
	because("a date and a time have one blank or a T between them", "duckdb/test/sql/types", `not a (DATE|TIMESTAMP_NTZ): ' *\d{4}-\d\d-\d\d {2,}`, refused),
	because("a TIME and the time of a timestamp end before 24:00:00, as in Spark", "duckdb/test/sql/types", `24:00:00`, refused, follows, wrong),
	because("the epoch of a TIME has its fraction: DuckDB's too, whose tests compare a DOUBLE with 1 % of play", "duckdb/test/sql/function/time/test_extract", `epoch from i\) from times`, wrong),
	because("the date and the time of an instant need no extension: they are those of the session's zone", "duckdb/test/sql/types/timestamp/test_timestamp_tz", `timestamptz::(date|time)`, accepted),
	because("a unit behind an INTERVAL that names its own counts for nothing", "duckdb/test/sql/types/interval/test_interval", `interval '100 months' day`, accepted),
	because("no function tells the name of an expression", "duckdb/test/sql", `unknown function "alias"`, refused),
	because("times count microseconds: there are no types of nanoseconds", "duckdb/test/sql", `time(stamp)?(tz)?_ns`, accepted),
	because("the digits of %n after the sixth are dropped: a timestamp has microseconds", "duckdb/test/sql/function/timestamp", `strptime\('[^']*:\d\d\.\d{7,}.*%n`, wrong),
	because("TIMESTAMP(7) to TIMESTAMP(9) keep microseconds, and a warning says so", "duckdb/test/sql/types/timestamp/timestamp_precision", `::timestamp\([789]\)`, wrong),
	because("the number of digits of TIMESTAMP(n) is accepted and rounds nothing", "duckdb/test/sql/types/timestamp/timestamp_precision", `from ts_precision`, wrong),
	because("the seconds and milliseconds of a type are not rounded", "duckdb/test/sql/types/timestamp/test_timestamp_types", `::timestamp_us = .*::timestamp_s$`, wrong),
	because("a format may be a column", "duckdb/test/sql/function", `str[fp]time\([^)]*(random\(\)|::varchar)`, accepted),
	because("units may be plural", "duckdb/test/sql/types/interval", `interval '[^']*' \w+s to`, accepted),
	because("a zone of a format that is none is NULL or an error", "duckdb/test/sql/function/timestamp/test_icu_strptime", `%Z`, refused),
	because("the zone in the text of a TIMESTAMP without one counts for nothing, as in PostgreSQL", "duckdb/test/sql/function/timestamp/test_date_part", `date_part\(p, timestamp '[^']*\+00'\)`, wrong),
	because("a difference of instants is time that passed, whatever clocks showed", "duckdb/test/sql/function/timestamp/test_icu_age", `t1 - t2`, wrong),
	because("the distance to infinity is that to the last day of the calendar, which ends earlier", "duckdb/test/sql/types/timestamp/test_infinite_time", `quantile_cont|mad\(`, wrong, refused),
	because("there is no TIME WITH TIME ZONE: the time of day is that of the session's zone, without an offset", "duckdb/test/sql/function/timestamp/current_time", `typeof\(|select current_time$`, wrong),
	because("there is no TIME WITH TIME ZONE", "duckdb/test/sql/types/time", `time with time zone`, refused, follows),
	because("a date is written with - or /", "duckdb/test/sql/types/date", `'\d{4}([ \\])\d+`, refused),
}
