package scalar

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// What a full pattern prints of a time, it reads back, in every zone.
func TestPatternsReadWhatTheyPrint(t *testing.T) {
	const yearOne = -719162 // the days of 0001-01-01: yyyy counts the years of an era, which not all patterns print
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "+05:30"} {
		zone, err := types.LoadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"yyyy-MM-dd HH:mm:ss.SSSSSSXXXXX", "G y MMMM d EEEE h:m:s.SSSSSS a xxxxx", "yyyyDDD kk:mm:ss.SSSSSSSSS ZZZZ", "E dd MMM yyyy K:mm:ss.SSSSSS a XXXX"} {
			p, err := compilePattern(s)
			if err != nil {
				t.Fatal(err)
			}
			for range 200 {
				at := yearOne*types.MicrosPerDay + types.MicrosPerDay + rnd.Int64N((types.MaxDay-yearOne-2)*types.MicrosPerDay)
				text := string(p.append(nil, momentOf(types.Timestamp, at, zone)))
				if got, ok := p.timeOf(types.Timestamp, text, time.UTC); !ok || got != at {
					t.Fatalf("%s in %s: %q gives %d, %v, not %d", s, name, text, got, ok, at)
				}
			}
		}
	}
}

// The same for formats of C.
func TestFormatsReadWhatTheyPrint(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, s := range []string{"%Y-%m-%d %H:%M:%S.%f", "%d %B %Y %I:%M:%S.%n %p", "%Y %j %T.%f", "%G-W%V-%u %X.%f", "%Y %U %w %H:%M:%S.%f", "%Y %W %w %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f %z"} {
		f, err := compileStrf(s)
		if err != nil {
			t.Fatal(err)
		}
		for range 500 {
			at := rnd.Int64N(300*366*types.MicrosPerDay) - 100*366*types.MicrosPerDay
			text := string(f.append(nil, moment{local: at}))
			got, _, ok := f.parse(text)
			if !ok || got != at {
				t.Fatalf("%s: %q gives %d, %v, not %d", s, text, got, ok, at)
			}
		}
	}
}

// Letters that Java or C know and we refuse are named.
func TestRefusedLetters(t *testing.T) {
	for _, s := range []string{"Y", "u", "w", "W", "e", "c", "A", "n", "N", "B", "p", "v", "zzzz", "ddd", "HHH", "DDDD", "MMMMM", "V", "OO", "aa", "{", "#", "]", "'a"} {
		if _, err := compilePattern(s); err == nil {
			t.Errorf("%s is taken", s)
		}
	}
	for _, s := range []string{"%", "%-", "%Q", "%-f", "%é"} {
		if _, err := compileStrf(s); err == nil {
			t.Errorf("%s is taken", s)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("yyyy-MM-dd'T'HH:mm[:ss[.SSS]]XXX", "2024-02-29T10:11:12.5+01:00")
	f.Add("G y MMMM d EEEE h a VV", "AD 2024 May 1 Friday 1 pm Europe/Berlin")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := compilePattern(pattern)
		if err != nil {
			return
		}
		p.append(nil, momentOf(types.Timestamp, 0, time.UTC))
		if p.parsable() == nil {
			p.timeOf(types.Timestamp, text, time.UTC)
		}
	})
}

func FuzzStrf(f *testing.F) {
	f.Add("%Y-%m-%d %H:%M:%S.%f %z", "2024-02-29 10:11:12.5 +01:00")
	f.Add("%G-W%V-%u %I %p %Z", "2024-W01-1 1 pm UTC")
	f.Fuzz(func(t *testing.T, format, text string) {
		p, err := compileStrf(format)
		if err != nil {
			return
		}
		p.append(nil, moment{zone: time.UTC})
		if p.readable() == nil {
			p.parse(text)
		}
	})
}

// A series of all integers has too many elements, and is not walked.
func TestSeriesOfEverything(t *testing.T) {
	s := series{elem: bigint}
	for _, step := range []int64{1, -1} {
		b := bounds{from: math.MinInt64, to: math.MaxInt64, step: step}
		if step < 0 {
			b.from, b.to = b.to, b.from
		}
		if err := s.appendTo(vec.NewBuilder(bigint), b); err == nil {
			t.Error("no error")
		}
	}
}
