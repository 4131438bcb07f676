package conformance

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// javaToken is a piece of a Java program: a name, a string (its value), or one character.
type javaToken struct {
	text   string
	string bool
	name   bool
	line   int
}

// javaTokens cuts a Java program; comments are left out.
func javaTokens(src string) []javaToken {
	var out []javaToken
	line := 1
	for i := 0; i < len(src); {
		from := i
		c := src[i]
		switch {
		case strings.HasPrefix(src[i:], "//"):
			i = upTo(src, i, "\n") - 1
		case strings.HasPrefix(src[i:], "/*"):
			i = upTo(src, i+2, "*/")
		case strings.HasPrefix(src[i:], `"""`):
			end := textBlockEnd(src, i+3)
			out = append(out, javaToken{text: textBlock(src[i+3 : end]), string: true, line: line})
			i = end + 3
		case c == '"' || c == '\'':
			end := endOfJava(src, i, c)
			out = append(out, javaToken{text: unescaped(src[i+1 : end-1]), string: true, line: line})
			i = end
		case c == '_' || unicode.IsLetter(rune(c)):
			i = endOfWord(src, i)
			out = append(out, javaToken{text: src[from:i], name: true, line: line})
		case unicode.IsSpace(rune(c)):
			i++
		default:
			out = append(out, javaToken{text: src[i : i+1], line: line})
			i++
		}
		i = min(max(i, from+1), len(src))
		line += strings.Count(src[from:i], "\n")
	}
	return out
}

func textBlockEnd(src string, i int) int {
	for ; i < len(src); i++ {
		if src[i] == '\\' {
			i++
		} else if strings.HasPrefix(src[i:], `"""`) {
			return i
		}
	}
	return max(len(src)-3, 0)
}

func endOfJava(src string, i int, q byte) int {
	for i++; i < len(src) && src[i] != '\n'; i++ {
		if src[i] == '\\' {
			i++
		} else if src[i] == q {
			return i + 1
		}
	}
	return min(i+1, len(src))
}

// textBlock is the value of a text block, without the blanks at the ends of lines and
// those that all lines begin with.
func textBlock(s string) string {
	_, s, _ = strings.Cut(s, "\n")
	lines := strings.Split(s, "\n")
	indent := len(s)
	for i, l := range lines {
		if strings.TrimSpace(l) != "" || i == len(lines)-1 {
			indent = min(indent, len(l)-len(strings.TrimLeft(l, " \t")))
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight(l[min(indent, len(l)):], " \t\r")
	}
	return unescaped(strings.Join(lines, "\n"))
}

var javaEscapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\s`, " ", "\\\n", "")

func unescaped(s string) string {
	return javaEscapes.Replace(unicodeEscape.ReplaceAllStringFunc(s, func(e string) string {
		if strings.HasPrefix(e, `\\`) {
			return e
		}
		n, _ := strconv.ParseUint(e[2:], 16, 32)
		return string(rune(n))
	}))
}

// unicodeEscape is a character by its number; a backslash that is escaped begins none.
var unicodeEscape = regexp.MustCompile(`\\\\|\\u[0-9a-fA-F]{4}`)

// javaArgs reads the arguments of a call from its bracket on: the value of each that is
// made of strings and names of strings, else "". next is the token after it.
func javaArgs(toks []javaToken, i int, vars map[string]string) (args []string, ok []bool, next int) {
	depth, text, good, empty := 0, "", true, true
	for ; i < len(toks); i++ {
		t := toks[i]
		switch {
		case !t.string && (t.text == "(" || t.text == "{" || t.text == "["):
			depth++
			good = good && depth == 1
			continue
		case !t.string && (t.text == ")" || t.text == "}" || t.text == "]"):
			if depth--; depth == 0 {
				if !empty {
					args, ok = append(args, text), append(ok, good)
				}
				return args, ok, i + 1
			}
			continue
		case depth == 1 && !t.string && t.text == ",":
			args, ok = append(args, text), append(ok, good)
			text, good, empty = "", true, true
			continue
		}
		empty = false
		if depth != 1 {
			continue
		}
		switch v, known := vars[t.text]; {
		case t.string:
			text += t.text
		case t.name && known:
			text += v
		case t.text == "+" && !t.string:
		default:
			good = false
		}
	}
	return args, ok, i
}

// javaNumbers are the constants that are whole numbers, by name.
func javaNumbers(toks []javaToken) map[string]string {
	out := map[string]string{}
	for i := 0; i+4 < len(toks); i++ {
		if toks[i].text != "int" || toks[i].string || toks[i+2].text != "=" {
			continue
		}
		digits := ""
		for k := i + 3; k < len(toks) && len(toks[k].text) == 1 && unicode.IsDigit(rune(toks[k].text[0])); k++ {
			digits += toks[k].text
		}
		if digits != "" {
			out[toks[i+1].text] = digits
		}
	}
	return out
}
