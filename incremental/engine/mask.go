package engine

import (
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// mask blots out secrets in texts of statements before anything keeps or prints them:
// the values of options that are secret, or are called as secrets are, and passwords in
// URLs. Each byte becomes a star, so that places in the text stay what they are.
type mask struct {
	names map[string]bool        // folded names of options: whether their type is Secret
	likes []string               // those that are, for names that are misspelt
	last  atomic.Pointer[string] // the last answer
}

func newMask(r *builtin.Registry) *mask {
	m := &mask{names: map[string]bool{}}
	for _, n := range r.SourceNames() {
		if c, ok := r.Source(n); ok {
			m.learn(c.Options)
		}
	}
	for _, n := range r.SinkNames() {
		if c, ok := r.Sink(n); ok {
			m.learn(c.Options)
		}
	}
	for _, n := range r.FormatNames() {
		if f, ok := r.Format(n); ok {
			m.learn(f.ReadOptions)
			m.learn(f.WriteOptions)
		}
	}
	for n, secret := range m.names {
		if secret && len(n) >= 5 {
			m.likes = append(m.likes, n)
		}
	}
	slices.Sort(m.likes)
	return m
}

func (m *mask) learn(specs []option.Spec) {
	for _, s := range specs {
		for _, n := range append([]string{s.Name}, s.Aliases...) {
			m.names[folded(n)] = m.names[folded(n)] || s.Type == option.Secret
		}
	}
}

func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-.'\"`", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

var (
	secretName = regexp.MustCompile(`(password|passwd|passphrase|secret|token|credentials?|apikey|accesskey|secretkey|privatekey|jaasconfig|authorization)$`)
	// signatures are those of addresses that are signed for a while
	secretParameter = regexp.MustCompile(secretName.String() + `|(signature|^sig)$`)

	userInfo  = regexp.MustCompile(`://[^/\s:@]*:([^/\s@]+)@`)
	parameter = regexp.MustCompile(`[?&]([A-Za-z_.-]+)=([^&\s'"#]+)`) // of addresses
	reference = regexp.MustCompile(`^.?\$\{[^}]*\}.?$`)
)

// source is a text without its secrets. What has none any more stays as it is: each
// statement of a script comes with the whole script, and looking through that each time
// would take the square of its length.
func (m *mask) source(src diag.Source) diag.Source {
	if last := m.last.Load(); last != nil && src.Text == *last {
		return src
	}
	src.Text = m.text(src.Text)
	m.last.Store(&src.Text)
	return src
}

func (m *mask) text(sql string) string {
	upper := strings.ToUpper(sql)
	if !strings.Contains(upper, "WITH") && !strings.Contains(sql, "://") {
		return sql
	}
	out := []byte(sql)
	for _, at := range userInfo.FindAllStringSubmatchIndex(sql, -1) {
		if !strings.HasPrefix(sql[at[2]:at[3]], "${") {
			blot(out[at[2]:at[3]])
		}
	}
	for _, at := range parameter.FindAllStringSubmatchIndex(sql, -1) {
		if name := folded(sql[at[2]:at[3]]); m.names[name] || secretParameter.MatchString(name) {
			blot(out[at[4]:at[5]])
		}
	}
	for _, span := range m.secrets(sql) {
		if mutant.On("texts of statements keep their secrets") {
			break
		}
		blot(out[span.Start:span.End])
	}
	return string(out)
}

func blot(b []byte) {
	for i := range b {
		b[i] = '*'
	}
}

// secrets finds what stands between the quotes of secret options in WITH (…) lists.
func (m *mask) secrets(sql string) (out []diag.Span) {
	toks := slices.DeleteFunc(parser.Tokens(sql), func(t parser.Token) bool { return t.Kind == parser.TokenComment })
	depth := 0 // of parentheses inside a list of options; 0 = outside
	text := func(i int) string {
		if i < 0 || i >= len(toks) {
			return ""
		}
		return sql[toks[i].Start:toks[i].End]
	}
	for i := range toks {
		switch t := text(i); {
		case t == "(" && (depth > 0 || strings.EqualFold(text(i-1), "WITH")):
			depth++
		case t == ")" && depth > 0:
			depth--
		case depth > 0 && text(i-1) == "=" && m.secret(text(i-2)) && !reference.MatchString(t):
			out = append(out, inside(toks[i]))
		}
	}
	return out
}

// inside is a value without its quotes; one that is never closed has one quote, and a
// number has none.
func inside(t parser.Token) diag.Span {
	switch t.Kind {
	case parser.TokenString:
		return diag.Span{Start: t.Start + 1, End: max(t.Start+1, t.End-1)}
	case parser.TokenError:
		return diag.Span{Start: t.Start + 1, End: t.End}
	}
	return t.Span
}

func (m *mask) secret(name string) bool {
	n := folded(name)
	secret, known := m.names[n]
	return secret || secretName.MatchString(n) || !known && diag.DidYouMean(n, m.likes) != ""
}
