package server

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// values are the parameters of a request, each of which some statement must read.
func (st *Statements) values(list []ast.Statement) (engine.Literals, error) {
	values := engine.Params{}
	switch p := st.Parameters.(type) {
	case nil:
	case []any:
		for i, v := range p {
			values[strconv.Itoa(i+1)] = v
		}
	case map[string]any:
		values = p
	default:
		return nil, errorf(http.StatusBadRequest, "bad_body", "parameters is no array and no object").
			hint("an array has the values of ? and $1, an object those of :name")
	}
	out, err := values.Literals()
	if err != nil {
		return nil, errorf(http.StatusBadRequest, "bad_body", "%s", err.Error()).
			hint("null, booleans, numbers, strings and arrays are values")
	}
	read := map[string]bool{}
	for _, s := range list {
		for _, p := range parser.Params(s) {
			read[engine.ParamKey(p)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if !read[name] {
			return nil, errorf(http.StatusBadRequest, "bad_body", "no statement has the parameter %q", name).
				hint("write ? or $1 for values of an array, :name for those of an object")
		}
	}
	return out, nil
}
