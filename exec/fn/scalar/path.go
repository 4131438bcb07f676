package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// paths take names of files to pieces. / and \ both separate unless a last argument
// says forward_slash or backslash.
func paths() []*fn.Scalar {
	list := types.ArrayOf(text)
	return []*fn.Scalar{
		{
			Name: "parse_filename", Group: "Text", Syntax: []string{"parse_filename(path [, trim_extension] [, separator])"}, Doc: "Is the last part of a path, without its extension where trim_extension is true.",
			Examples: []fn.Example{{SQL: "parse_filename('path/to/file.csv')", Want: "file.csv"}, {SQL: "parse_filename('path/to/file.csv', true)", Want: "file"}, {SQL: "parse_filename(NULL)", Want: "NULL"}},
			Resolve:  resolveFilename,
		},
		{
			Name: "parse_dirname", Group: "Text", Syntax: []string{"parse_dirname(path [, separator])"}, Doc: "Is the first folder of a path, / for one that begins there, and '' if it has none.",
			Examples: []fn.Example{{SQL: "parse_dirname('path/to/file.csv')", Want: "path"}, {SQL: "parse_dirname(NULL)", Want: "NULL"}},
			Resolve: pathFunction(text, func(set string) fn.Kernel {
				return slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
					return 0, max(strings.IndexAny(args[0].Text(r), set), min(1, len(s)-len(strings.TrimLeft(args[0].Text(r), set))), 0)
				})
			}),
		},
		{
			Name: "parse_dirpath", Group: "Text", Syntax: []string{"parse_dirpath(path [, separator])"}, Doc: "Is a path up to its last separator, without it; of / alone it is that.",
			Examples: []fn.Example{{SQL: "parse_dirpath('path/to/file.csv')", Want: "path/to"}, {SQL: "parse_dirpath('/')", Want: "/"}, {SQL: "parse_dirpath(NULL)", Want: "NULL"}},
			Resolve: pathFunction(text, func(set string) fn.Kernel {
				return slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
					last := strings.LastIndexAny(args[0].Text(r), set)
					if last == 0 && len(s) == 1 {
						return 0, 1
					}
					return 0, max(last, 0)
				})
			}),
		},
		{
			Name: "parse_path", Group: "Text", Syntax: []string{"parse_path(path [, separator])"}, Doc: "Lists the parts of a path; / is the first of one that begins there.",
			Examples: []fn.Example{{SQL: "parse_path('/to/file.csv')", Want: `["/","to","file.csv"]`}, {SQL: "parse_path(NULL)", Want: "NULL"}},
			Resolve: pathFunction(list, func(set string) fn.Kernel {
				return built(list, func(b *vec.Builder, args []*vec.Vector, r int) { splitPath(b, args[0].Text(r), set) })
			}),
		},
	}
}

// separators are the characters that a constant last argument names.
func separators(args []fn.Arg, i int) (string, error) {
	if i >= len(args) {
		return `/\`, nil
	}
	name, ok := constText(args, i)
	switch {
	case ok && name == "both_slash":
		return `/\`, nil
	case ok && (name == "forward_slash" || name == "system"):
		return "/", nil
	case ok && name == "backslash":
		return `\`, nil
	}
	return "", fmt.Errorf("needs 'both_slash', 'forward_slash' or 'backslash' as argument %d", i+1)
}

func pathFunction(result types.Type, kernel func(set string) fn.Kernel) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		set, err := separators(args, 1)
		if err != nil {
			return fn.Impl{}, err
		}
		return optional(1, result, kernel(set), text, text)(args)
	}
}

func resolveFilename(args []fn.Arg) (fn.Impl, error) {
	at := 2
	want := []types.Type{text, boolean, text}
	if len(args) == 2 && args[1].Type.Kind == types.String {
		at, want = 1, []types.Type{text, text}
	}
	set, err := separators(args, at)
	if err != nil {
		return fn.Impl{}, err
	}
	return optional(1, text, slices(func(_ []byte, args []*vec.Vector, r int) (int, int) {
		s := args[0].Text(r)
		from := strings.LastIndexAny(s, set) + 1
		if at == 2 && len(args) > 1 && args[1].IsTrue(r) {
			if dot := strings.LastIndexByte(s[from:], '.'); dot >= 0 {
				return from, from + dot
			}
		}
		return from, len(s)
	}), want...)(args)
}

func splitPath(b *vec.Builder, s, set string) {
	if s != "" && strings.IndexByte(set, s[0]) >= 0 {
		b.Child(0).AppendString(s[:1])
	}
	for _, part := range strings.FieldsFunc(s, func(ch rune) bool { return strings.ContainsRune(set, ch) }) {
		b.Child(0).AppendString(part)
	}
	b.EndList()
}
