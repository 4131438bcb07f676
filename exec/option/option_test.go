package option_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/parser/diag"
)

var specs = []option.Spec{
	{Name: "path", Type: option.Text, Required: true, Doc: "Where the files are."},
	{Name: "max_files_per_trigger", Aliases: []string{"max_files"}, Type: option.Int, Min: 1},
	{Name: "latest_first", Type: option.Bool, Default: "false"},
	{Name: "max_file_age", Type: option.Duration, Default: "7 days"},
	{Name: "max_bytes_per_trigger", Type: option.Size},
	{Name: "clean_source", Type: option.Enum, Values: []string{"off", "archive", "delete"}, Default: "off"},
	{Name: "password", Type: option.Secret},
	{Name: "level", Type: option.Int, Min: 1, Max: 9, Default: "6"},
}

// values builds option values whose spans are their position in the list.
func values(pairs ...string) []option.Value {
	var out []option.Value
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, option.Value{Name: pairs[i], Text: pairs[i+1],
			NameSpan: diag.Span{Start: 10 * i, End: 10*i + 1}, Span: diag.Span{Start: 10*i + 5, End: 10*i + 6}})
	}
	return out
}

func TestDecode(t *testing.T) {
	d, err := option.Decode(specs, values("path", "in", "maxFilesPerTrigger", "3", "latestFirst", "TRUE",
		"max_file_age", "1 hour 30 minutes", "maxBytesPerTrigger", "64 MiB", "cleanSource", "ARCHIVE"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Text("path") != "in" || d.Int("max_files_per_trigger") != 3 || !d.Bool("latest_first") {
		t.Errorf("text, int or bool is wrong")
	}
	if got := d.Micros("max_file_age"); got != 90*60*1e6 {
		t.Errorf("max_file_age = %d", got)
	}
	if got := d.Size("max_bytes_per_trigger"); got != 64<<20 {
		t.Errorf("max_bytes_per_trigger = %d", got)
	}
	if d.Enum("clean_source") != "archive" || d.Int("level") != 6 {
		t.Errorf("enum or default is wrong")
	}
	if d.Has("level") || !d.Set("level") || d.Set("password") || !d.Has("path") {
		t.Errorf("Has and Set are wrong")
	}
}

func TestDecodeReportsEveryError(t *testing.T) {
	_, err := option.Decode(specs, values("max_file_per_trigger", "1", "maxFilesPerTrigger", "0", "max_files", "2",
		"latest_first", "maybe", "max_file_age", "10", "clean_source", "archve", "level", "10", "zzz", "1"))
	want := []string{
		`@40 SQL4002: option "max_files_per_trigger" is given twice, as "maxFilesPerTrigger" and as "max_files"`,
		`@0 SQL4001: unknown option "max_file_per_trigger" [did you mean "max_files_per_trigger"?]`,
		`@25 SQL4003: option "max_files_per_trigger" is "0", expected a whole number of at least 1`,
		`@65 SQL4003: option "latest_first" is "maybe", expected true or false`,
		`@85 SQL4003: option "max_file_age" is "10", expected a duration such as '10 minutes' or '500 ms'`,
		`@105 SQL4003: option "clean_source" is "archve", expected one of off, archive, delete [did you mean "archive"?]`,
		`@125 SQL4003: option "level" is "10", expected a whole number from 1 to 9`,
		`@140 SQL4001: unknown option "zzz" [the options are path, max_files_per_trigger, latest_first, max_file_age, max_bytes_per_trigger, clean_source, password, level]`,
		`@0 SQL4004: option "path" is required [Where the files are.]`,
	}
	var list *diag.Error
	if !errors.As(err, &list) {
		t.Fatalf("got %v", err)
	}
	got := map[string]bool{}
	for _, d := range list.Diagnostics {
		text := "@" + itoa(d.Span.Start) + " " + string(d.Code) + ": " + d.Message
		if d.Hint != "" {
			text += " [" + d.Hint + "]"
		}
		got[text] = true
	}
	for _, w := range want {
		if !got[w] {
			t.Errorf("missing %s", w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d errors, want %d: %v", len(got), len(want), got)
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

func TestDurations(t *testing.T) {
	spec := []option.Spec{{Name: "d", Type: option.Duration}}
	for text, want := range map[string]int64{"0": 0, "500 ms": 5e5, "500ms": 5e5, "10 minutes": 6e8, "1 MINUTE": 6e7,
		"1h30m": 54e8, "2 days": 1728e8, "1 week": 6048e8, "3 us": 3, "1.5 seconds": 15e5, "7d": 6048e8, "10s": 1e7} {
		d, err := option.Decode(spec, values("d", text))
		if err != nil || d.Micros("d") != want {
			t.Errorf("%q = %v, want %d", text, err, want)
		}
	}
	for _, text := range []string{"", "5", "five minutes", "1 month", "-1 s", "1 s x", "999999999999999999 weeks", "minutes"} {
		if _, err := option.Decode(spec, values("d", text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestSizes(t *testing.T) {
	spec := []option.Spec{{Name: "s", Type: option.Size}}
	for text, want := range map[string]int64{"1024": 1024, "1 KB": 1000, "1 KiB": 1024, "2m": 2 << 20, "1.5 GB": 15e8, "3 bytes": 3} {
		d, err := option.Decode(spec, values("s", text))
		if err != nil || d.Size("s") != want {
			t.Errorf("%q: %v, want %d", text, err, want)
		}
	}
	for _, text := range []string{"", "1 XB", "big", "-1"} {
		if _, err := option.Decode(spec, values("s", text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestFormatDurationRoundTrips(t *testing.T) {
	spec := []option.Spec{{Name: "d", Type: option.Duration}}
	for _, us := range []int64{0, 1, 1500, 1e6, 6e7, 90e6, 36e8, 864e8} {
		text := option.FormatDuration(us)
		d, err := option.Decode(spec, values("d", text))
		if text != "0 seconds" && (err != nil || d.Micros("d") != us) {
			t.Errorf("%d printed as %q: %v", us, text, err)
		}
	}
}

func env() option.Env {
	return option.Env{
		Lookup: func(name string) (string, bool) { return "s3cret", name == "PW" },
		ReadFile: func(path string) ([]byte, error) {
			if path == "pw.txt" {
				return []byte("fromfile\n"), nil
			}
			return nil, fs.ErrNotExist
		},
	}
}

func TestResolve(t *testing.T) {
	for text, want := range map[string]string{"${PW}": "s3cret", "a${PW}b${file:pw.txt}": "as3cretbfromfile",
		"plain": "plain", "$${PW}": "${PW}"} {
		got, err := option.Resolve(values("password", text), env())
		if err != nil || got[0].Text != want {
			t.Errorf("%q = %v %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"${NO}":         "environment variable NO is not set",
		"${file:x}":     "secret file x does not exist",
		"${PW":          "never closed",
		"${PW}/${NOPE}": "environment variable NOPE is not set",
	} {
		_, err := option.Resolve(values("password", text), env())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	in := values("path", "in", "level", "${PW}", "clean_source", "${PW}")
	if _, err := option.Decode(specs, in); err != nil {
		t.Fatalf("unresolved references must wait for run time: %v", err)
	}
	if _, err := option.Open(specs, in); err == nil || err.Error() != `error SQL4005: option "level" has a ${…} reference that was not resolved` {
		t.Errorf("open without the secrets: %v", err)
	}
	resolved, err := option.Resolve(in, env())
	if err != nil {
		t.Fatal(err)
	}
	_, err = option.Decode(specs, resolved)
	if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), `"level" is (hidden)`) {
		t.Errorf("got %v", err)
	}
}

func TestJoinKeepsTheFirst(t *testing.T) {
	got := option.Join([]option.Spec{{Name: "a", Doc: "first"}}, []option.Spec{{Name: "A", Doc: "second"}, {Name: "b"}})
	if len(got) != 2 || got[0].Doc != "first" || got[1].Name != "b" {
		t.Errorf("got %v", got)
	}
}

func TestSizesOfSettings(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0", 1: "1 bytes", 1023: "1023 bytes", 1024: "1 KiB", 512 << 20: "512 MiB", 1<<30 + 1<<29: "1.5 GiB", 1234567: "1.177 MiB"} {
		if got := option.FormatSize(bytes); got != want {
			t.Errorf("%d is printed %q, not %q", bytes, got, want)
		}
	}
	if n, err := option.ParseSize("64 MiB"); n != 64<<20 || err != nil {
		t.Errorf("64 MiB is %d, %v", n, err)
	}
	if _, err := option.ParseSize("much"); err == nil {
		t.Error("much is a size")
	}
}
