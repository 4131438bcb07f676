package scalar

import (
	"regexp"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func pathJoins() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "path_join", Group: "Text", Syntax: []string{"path_join(path, part, ...)"},
		Doc:      "Joins parts of a path with / and takes out . and .. and doubled separators. Only the first part may begin with / or name a scheme, as in s3://bucket. Nothing at all is the path '.'.",
		Examples: []fn.Example{{SQL: "path_join('dir/sub/', '../file.csv')", Want: "dir/file.csv"}, {SQL: "path_join('s3://bucket', 'a', 'b')", Want: "s3://bucket/a/b"}, {SQL: "path_join('/', '..')", Want: "/"}, {SQL: "path_join(NULL, 'a')", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if err := arity(args, 1, -1); err != nil {
				return fn.Impl{}, err
			}
			want := same(text, len(args))
			if err := matches(args, want); err != nil {
				return fn.Impl{}, err
			}
			return fn.Impl{Args: want, Result: types.Of(types.String), Eval: tryTexts(text, "path_join", joinPaths)}, nil
		},
	}}
}

// pathRoot is what .. does not leave: a scheme, with the host or bucket of ://.
var pathRoot = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?`)

func joinPaths(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	first := args[0].Text(r)
	root := pathRoot.FindString(first)
	rest := first[len(root):]
	absolute := strings.HasPrefix(rest, "/") || strings.Contains(root, "//")
	parts := walk(nil, rest, absolute)
	for _, a := range args[1:] {
		s := a.Text(r)
		if strings.HasPrefix(s, "/") || pathRoot.MatchString(s) {
			return nil, fn.Quote(s), "is not a path below another one"
		}
		parts = walk(parts, s, absolute)
	}
	dst = append(dst, root...)
	if absolute {
		dst = append(dst, '/')
	} else if len(parts) == 0 && root == "" {
		dst = append(dst, '.')
	}
	return append(dst, strings.Join(parts, "/")...), "", ""
}

// walk goes along a path, from the folder that parts lead to.
func walk(parts []string, path string, absolute bool) []string {
	for _, p := range strings.Split(path, "/") {
		n := len(parts)
		switch {
		case p == "" || p == ".":
		case p == ".." && n > 0 && parts[n-1] != "..":
			parts = parts[:n-1]
		case p == ".." && absolute: // above the root is the root
		default:
			parts = append(parts, p)
		}
	}
	return parts
}
