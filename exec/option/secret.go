package option

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// Env is where references are looked up; the engine passes the process environment
// and the file system.
type Env struct {
	Lookup   func(name string) (string, bool)
	ReadFile func(path string) ([]byte, error)
}

// HasReference reports whether the text has a ${…} reference.
func HasReference(text string) bool { return strings.Contains(text, "${") }

// Resolve replaces ${NAME} and ${file:path} in the values, at run time, just before
// a connector is opened. Resolved values are Hidden; the arguments are not changed.
// $${ stands for a literal ${. A file's final line break is not part of the secret.
func Resolve(values []Value, env Env) ([]Value, error) {
	out := make([]Value, len(values))
	var errs []*diag.Diagnostic
	for i, v := range values {
		if out[i] = v; !HasReference(v.Text) {
			continue
		}
		text, problem := expand(v.Text, env)
		if problem != "" {
			errs = append(errs, diag.Errorf(diag.UnresolvedSecret, v.Span, "option %q: %s", v.Name, problem))
		}
		out[i].Text, out[i].Hidden = text, true
	}
	if len(errs) > 0 {
		return nil, diag.NewError(nil, errs...)
	}
	return out, nil
}

func expand(text string, env Env) (string, string) {
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			b.WriteString(text)
			return b.String(), ""
		}
		if i > 0 && text[i-1] == '$' {
			b.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			return "", "a ${ reference is never closed"
		}
		value, problem := lookup(text[i+2:i+end], env)
		if problem != "" {
			return "", problem
		}
		b.WriteString(text[:i] + value)
		text = text[i+end+1:]
	}
}

func lookup(name string, env Env) (value, problem string) {
	path, isFile := strings.CutPrefix(name, "file:")
	if !isFile {
		if v, ok := env.Lookup(name); ok {
			return v, ""
		}
		return "", "environment variable " + name + " is not set"
	}
	raw, err := env.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "secret file " + path + " does not exist"
	case err != nil:
		return "", "secret file " + path + " cannot be read"
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r"), ""
}
