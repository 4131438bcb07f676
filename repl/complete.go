package repl

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/parser"
)

// Names are what words of a statement can refer to.
type Names interface {
	Objects() []string
	Columns(object string) []string
	Functions() []string
	Settings() []string
}

// Completer finds how the word before the cursor can go on: keywords, objects, their
// columns, functions, settings, and dot commands at the beginning of a line. It does
// not look at case, and continues a word in the case in which it was begun.
type Completer struct {
	names Names
	width func() int
	// before is the text of the statement above the line that is edited.
	before string
}

// NewCompleter returns a completer; names may be nil until Use.
func NewCompleter(width func() int) *Completer { return &Completer{width: width} }

// Use sets where names come from.
func (c *Completer) Use(n Names) { c.names = n }

// Do gives the rests of the candidates and the length of the word so far (the contract
// of readline.AutoCompleter).
func (c *Completer) Do(line []rune, pos int) (rests [][]rune, length int) {
	text := string(line[:pos])
	if c.before == "" && isDot(text) {
		return c.rests(text, dotNames(text[:1])), pos
	}
	word := lastWord(text)
	return c.rests(word, c.candidates(c.before+text, string(line[pos:]), word)), utf8.RuneCountInString(word)
}

// rests are what the candidates add to the word, without doubles. Candidates that would
// not fit on the screen are left out: the line editor cannot show them.
func (c *Completer) rests(word string, candidates []string) [][]rune {
	slices.SortFunc(candidates, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	var out [][]rune
	last := ""
	for _, cand := range candidates {
		if len(cand) < len(word) || !strings.EqualFold(cand[:len(word)], word) || strings.EqualFold(cand, last) {
			continue
		}
		if utf8.RuneCountInString(cand) >= c.width()-2 {
			continue
		}
		last = cand
		out = append(out, []rune(cand[len(word):]))
	}
	return out
}

// lastWord is the word that ends at the end of the text.
func lastWord(text string) string {
	i := strings.LastIndexFunc(text, func(r rune) bool {
		return !(r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf)
	})
	_, n := utf8.DecodeRuneInString(text[max(i, 0):])
	if i < 0 {
		return text
	}
	return text[i+n:]
}

// candidates lists what may stand at the end of a statement's text, whose last word is
// being written; after is the rest of the line.
func (c *Completer) candidates(text, after, word string) []string {
	toks := parser.Tokens(text)
	if n := len(toks); n > 0 && toks[n-1].End == len(text) {
		switch toks[n-1].Kind {
		case parser.TokenString, parser.TokenComment, parser.TokenNumber:
			return nil
		case parser.TokenError:
			if word == "" || toks[n-1].End-toks[n-1].Start != len(word) {
				return nil // an open string or comment
			}
		}
	}
	words := tokenTexts(text, toks, len(text)-len(word))
	prev := func(i int) string {
		if i > len(words) {
			return ""
		}
		return strings.ToUpper(words[len(words)-i])
	}
	if c.names == nil {
		return keywordsLike(word)
	}
	switch {
	case prev(1) == "." && len(words) > 1:
		return c.columnsOf(words[len(words)-2], append(words, tokenTexts(after, parser.Tokens(after), len(after))...))
	case slices.Contains([]string{"SET", "RESET"}, prev(1)) && len(words) == 1:
		return c.names.Settings()
	case slices.Contains([]string{"FROM", "JOIN", "INTO", "TABLE", "DESCRIBE", "DESC", "VIEW", "SOURCE", "SINK"}, prev(1)):
		return append(c.names.Objects(), keywordsLike(word)...)
	}
	out := append(keywordsLike(word), c.names.Functions()...)
	out = append(out, c.names.Objects()...)
	for _, w := range append(words, tokenTexts(after, parser.Tokens(after), len(after))...) {
		out = append(out, c.names.Columns(unquote(w))...)
	}
	return out
}

// columnsOf lists the columns of an object or of what an alias stands for.
func (c *Completer) columnsOf(name string, words []string) []string {
	name = unquote(name)
	if cols := c.names.Columns(name); len(cols) > 0 {
		return cols
	}
	for i := 1; i < len(words); i++ {
		if !strings.EqualFold(unquote(words[i]), name) {
			continue
		}
		of := words[i-1]
		if strings.EqualFold(of, "AS") && i > 1 {
			of = words[i-2]
		}
		if cols := c.names.Columns(unquote(of)); len(cols) > 0 {
			return cols
		}
	}
	return nil
}

// tokenTexts are the tokens that end at or before an offset, without comments, from the
// last semicolon on.
func tokenTexts(text string, toks []parser.Token, end int) []string {
	var out []string
	for _, t := range toks {
		if t.End > end {
			break
		}
		switch w := text[t.Start:t.End]; {
		case w == ";":
			out = nil
		case t.Kind != parser.TokenComment:
			out = append(out, w)
		}
	}
	return out
}

func unquote(name string) string {
	if len(name) > 1 && (name[0] == '"' || name[0] == '`') && name[len(name)-1] == name[0] {
		return name[1 : len(name)-1]
	}
	return name
}

// keywordsLike are the keywords, in the case of the word that is being written.
func keywordsLike(word string) []string {
	out := parser.Keywords()
	if word != "" && word == strings.ToLower(word) && word != strings.ToUpper(word) {
		for i, w := range out {
			out[i] = strings.ToLower(w)
		}
	}
	return out
}
