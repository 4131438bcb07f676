package scalar

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// urls take URLs to pieces, by the rules of RFC 2396 as java.net.URI and Spark apply
// them, and write parts of them.
func urls() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "url_encode", Group: "URL", Syntax: []string{"url_encode(a)"}, Doc: "Encodes a text for use in a form or query of a URL: a blank becomes +.",
			Examples: []fn.Example{{SQL: "url_encode('1,x y')", Want: "1%2Cx+y"}, {SQL: "url_encode(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return urlEncode(dst, args[0].Bytes(r)) }), text),
		},
		{
			Name: "url_decode", Group: "URL", Syntax: []string{"url_decode(a)"}, Doc: "Undoes url_encode; an error where % is not followed by two hexadecimal digits.",
			Examples: []fn.Example{{SQL: "url_decode('1%2Cx+y')", Want: "1,x y"}, {SQL: "url_decode(NULL)", Want: "NULL"}},
			Resolve:  urlDecoder(false),
		},
		{
			Name: "try_url_decode", Group: "URL", Syntax: []string{"try_url_decode(a)"}, Doc: "Is url_decode, and NULL where that is an error.",
			Examples: []fn.Example{{SQL: "try_url_decode('1%2Cx+y')", Want: "1,x y"}, {SQL: "try_url_decode('%zz')", Want: "NULL"}},
			Resolve:  urlDecoder(true),
		},
		{
			Name: "parse_url", Group: "URL", Syntax: []string{"parse_url(url, part [, key])"},
			Doc:      "Takes PROTOCOL, HOST, PATH, QUERY, REF, FILE, AUTHORITY or USERINFO out of a URL, or with QUERY and a key one parameter; NULL if it is not there, and an error if the text is no URL.",
			Examples: []fn.Example{{SQL: "parse_url('http://h.example/p?q=1#f', 'QUERY', 'q')", Want: "1"}, {SQL: "parse_url('http://h.example/p', 'QUERY')", Want: "NULL"}},
			Resolve:  urlParser(false),
		},
		{
			Name: "try_parse_url", Group: "URL", Syntax: []string{"try_parse_url(url, part [, key])"}, Doc: "Is parse_url, and NULL where the text is no URL.",
			Examples: []fn.Example{{SQL: "try_parse_url('http://h.example/p', 'HOST')", Want: "h.example"}, {SQL: "try_parse_url('not a url', 'HOST')", Want: "NULL"}},
			Resolve:  urlParser(true),
		},
	}
}

const upperHex = "0123456789ABCDEF"

func alphanumeric(ch byte) bool {
	return ch >= '0' && ch <= '9' || ch|0x20 >= 'a' && ch|0x20 <= 'z'
}

func urlEncode(dst, s []byte) []byte {
	for _, ch := range s {
		switch {
		case alphanumeric(ch) || ch == '.' || ch == '-' || ch == '*' || ch == '_':
			dst = append(dst, ch)
		case ch == ' ':
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', upperHex[ch>>4], upperHex[ch&15])
		}
	}
	return dst
}

func urlDecode(dst, s []byte) (res []byte, ok bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			dst = append(dst, ' ')
		case s[i] != '%':
			dst = append(dst, s[i])
		case i+2 >= len(s):
			return nil, false
		default:
			high, ok1 := hexDigit(s[i+1])
			low, ok2 := hexDigit(s[i+2])
			if !ok1 || !ok2 {
				return nil, false
			}
			dst = append(dst, high<<4|low)
			i += 2
		}
	}
	return dst, true
}

func urlDecoder(lenient bool) resolver {
	return fixed(text, tryTexts(text, "url_decode", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
		from := len(dst)
		res, ok := urlDecode(dst, args[0].Bytes(r))
		switch {
		case ok:
			return validFrom(res, from), "", ""
		case lenient:
			return nil, "", ""
		}
		return nil, shown(args[0], r), "not an encoded URL part"
	}), text)
}

// validFrom makes what stands behind from valid UTF-8.
func validFrom(dst []byte, from int) []byte {
	if s := strings.ToValidUTF8(string(dst[from:]), ""); len(s) == len(dst)-from {
		return dst
	}
	return appendValid(dst[:from], append([]byte(nil), dst[from:]...))
}

func urlParser(lenient bool) resolver {
	return optional(2, text, tryTexts(text, "parse_url", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
		u, ok := splitURL(args[0].Text(r))
		if !ok {
			if lenient {
				return nil, "", ""
			}
			return nil, shown(args[0], r), "not a URL; try_parse_url gives NULL"
		}
		part, there := u.part(args[1].Text(r))
		if len(args) > 2 {
			part, there = parameter(part, args[2].Text(r), there && args[1].Text(r) == "QUERY")
		}
		if !there {
			return nil, "", ""
		}
		return append(dst, part...), "", ""
	}), text, text, text)
}

// parameter is the value of a key in a query.
func parameter(query, key string, there bool) (string, bool) {
	for there {
		pair, rest, more := strings.Cut(query, "&")
		if k, v, ok := strings.Cut(pair, "="); ok && k == key {
			return v, true
		}
		query, there = rest, more
	}
	return "", false
}

// urlParts are the parts of a URL as they are written, and whether they are there.
type urlParts struct {
	scheme, authority, user, host, path, query, ref                  string
	hasScheme, hasAuthority, hasUser, hasHost, hasPath, hasQ, hasRef bool
}

func (u urlParts) part(name string) (string, bool) {
	switch name {
	case "PROTOCOL":
		return u.scheme, u.hasScheme
	case "HOST":
		return u.host, u.hasHost
	case "PATH":
		return u.path, u.hasPath
	case "QUERY":
		return u.query, u.hasQ
	case "REF":
		return u.ref, u.hasRef
	case "FILE":
		if u.hasQ {
			return u.path + "?" + u.query, u.hasPath
		}
		return u.path, u.hasPath
	case "AUTHORITY":
		return u.authority, u.hasAuthority
	case "USERINFO":
		return u.user, u.hasUser
	}
	return "", false
}

func splitURL(s string) (u urlParts, ok bool) {
	if !legalURL(s) {
		return u, false
	}
	s, u.ref, u.hasRef = strings.Cut(s, "#")
	if i := strings.IndexAny(s, ":/?"); i >= 0 && s[i] == ':' {
		if u.scheme, u.hasScheme = s[:i], true; !schemeName(u.scheme) {
			return u, false
		}
		if s = s[i+1:]; s == "" {
			return u, false
		}
		if s[0] != '/' { // opaque, such as mailto:a@b
			return u, true
		}
	}
	s, u.query, u.hasQ = strings.Cut(s, "?")
	if strings.HasPrefix(s, "//") {
		s = s[2:]
		i := strings.IndexByte(s, '/')
		if i < 0 {
			i = len(s)
		}
		u.authority, s = s[:i], s[i:]
		if u.authority == "" && s == "" {
			return u, false
		}
		u.splitAuthority()
	}
	u.path, u.hasPath = s, true
	return u, true
}

// splitAuthority finds user and host where the authority is that of a server.
func (u *urlParts) splitAuthority() {
	if u.authority == "" {
		return
	}
	u.hasAuthority = true
	user, host, hasUser := strings.Cut(u.authority, "@")
	if !hasUser {
		user, host = "", u.authority
	}
	end := strings.LastIndexByte(host, ':')
	if end < strings.LastIndexByte(host, ']') {
		end = -1
	}
	if end >= 0 {
		if strings.Trim(host[end+1:], "0123456789") != "" {
			return
		}
		host = host[:end]
	}
	if !hostName(host) {
		return
	}
	u.user, u.hasUser, u.host, u.hasHost = user, hasUser, host, true
}

// legalURL refuses characters that a URL cannot have, and a % without two digits.
func legalURL(s string) bool {
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case ch <= ' ', ch == 0x7f, strings.IndexByte("\"<>\\^`{|}", ch) >= 0:
			return false
		case ch == '%':
			if i+2 >= len(s) {
				return false
			}
			_, ok1 := hexDigit(s[i+1])
			_, ok2 := hexDigit(s[i+2])
			if !ok1 || !ok2 {
				return false
			}
		}
	}
	return strings.Count(s, "#") <= 1
}

func schemeName(s string) bool {
	for i := range len(s) {
		if !alphanumeric(s[i]) && (i == 0 || strings.IndexByte("+-.", s[i]) < 0) {
			return false
		}
	}
	return s != "" && s[0] > '9'
}

// hostName accepts labels of letters, digits and hyphens, the last one beginning with
// a letter, addresses of four numbers, and addresses in brackets.
func hostName(s string) bool {
	if strings.HasPrefix(s, "[") {
		return strings.HasSuffix(s, "]")
	}
	labels := strings.Split(strings.TrimSuffix(s, "."), ".")
	numbers := 0
	for _, label := range labels {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if !alphanumeric(label[i]) && label[i] != '-' {
				return false
			}
		}
		if strings.Trim(label, "0123456789") == "" {
			numbers++
		}
	}
	last := labels[len(labels)-1]
	return last[0] > '9' || numbers == 4 && len(labels) == 4
}
