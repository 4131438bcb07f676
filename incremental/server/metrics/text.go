package metrics

import (
	"math"
	"strconv"
	"strings"
)

// ContentType is that of Text: version 0.0.4 of Prometheus' text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Text is the page that Prometheus scrapes.
func Text(families []Family) []byte {
	var b []byte
	for _, f := range families {
		b = append(b, "# HELP "+f.Name+" "+escapeHelp(f.Help)+"\n# TYPE "+f.Name+" "+string(f.Kind)+"\n"...)
		for _, s := range f.Samples {
			if f.Kind == HistogramKind {
				b = appendHistogram(b, &f.Def, s)
				continue
			}
			b = appendLine(b, f.Name, f.Labels, s.Labels, "", s.Value)
		}
	}
	return b
}

func appendHistogram(b []byte, d *Def, s Sample) []byte {
	h, n := s.Histogram, uint64(0)
	for i, c := range h.Counts {
		n += c
		le := "+Inf"
		if i < len(h.Bounds) {
			le = number(h.Bounds[i])
		}
		b = appendLine(b, d.Name+"_bucket", d.Labels, s.Labels, le, float64(n))
	}
	b = appendLine(b, d.Name+"_sum", d.Labels, s.Labels, "", h.Sum)
	return appendLine(b, d.Name+"_count", d.Labels, s.Labels, "", float64(n))
}

// appendLine adds a sample; le is the bound of a bucket.
func appendLine(b []byte, name string, labels, values []string, le string, v float64) []byte {
	b = append(b, name...)
	sep := byte('{')
	pair := func(label, value string) {
		b = append(b, sep)
		b = append(b, label+`="`+escapeValue(value)+`"`...)
		sep = ','
	}
	for i, l := range labels {
		pair(l, values[i])
	}
	if le != "" {
		pair("le", le)
	}
	if sep == ',' {
		b = append(b, '}')
	}
	b = append(b, ' ')
	b = append(b, number(v)...)
	return append(b, '\n')
}

// number prints whole numbers without an exponent, so that people can read them.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func escapeHelp(s string) string { return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(s) }

func escapeValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(s, "�"))
}
