package output

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// objects writes each row as a JSON object: on lines of its own, or as the elements of
// one array.
type objects struct {
	o     *Options
	names [][]byte // quoted, with the colon
	array bool
	some  bool
}

func newJSON(cols []types.Column, o *Options, array bool) *objects {
	j := &objects{o: o, array: array}
	for _, c := range cols {
		j.names = append(j.names, append(vec.AppendJSONString(nil, []byte(c.Name)), ':'))
	}
	return j
}

func (j *objects) head(dst []byte) []byte {
	if j.array {
		dst = append(dst, '[')
	}
	return dst
}

func (j *objects) row(dst []byte, cols []*vec.Vector, row int) []byte {
	if j.array && j.some {
		dst = append(dst, ",\n "...)
	}
	j.some = true
	for i, c := range cols {
		dst = append(dst, "{,"[min(i, 1)])
		dst = append(dst, j.names[i]...)
		dst = vec.AppendJSON(dst, c, row, j.o.Zone)
	}
	dst = append(dst, '}')
	if !j.array {
		dst = append(dst, '\n')
	}
	return dst
}

func (j *objects) foot(dst []byte) []byte {
	if j.array {
		dst = append(dst, "]\n"...)
	}
	return dst
}
