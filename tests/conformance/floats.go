package conformance

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// floatPlay is by how much two numbers of 24 bits may differ that are equal but for the order
// of their sums.
const floatPlay = 2.4e-7

// sameFloats is sameLine for results with FLOAT in them.
func sameFloats(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		f, err1 := strconv.ParseFloat(x[i], 64)
		g, err2 := strconv.ParseFloat(y[i], 64)
		if x[i] != y[i] && len(x[i]) < 19 && integer.MatchString(x[i]) && integer.MatchString(y[i]) {
			return false
		}
		if x[i] != y[i] && (err1 != nil || err2 != nil || math.Abs(f-g) > floatPlay*max(math.Abs(f), math.Abs(g))) {
			return false
		}
	}
	return true
}

// hasFloat reports a type with FLOAT in it.
func hasFloat(t types.Type) bool {
	return t.Kind == types.Float32 || t.Elem != nil && hasFloat(*t.Elem) || t.Key != nil && hasFloat(*t.Key) || slices.ContainsFunc(t.Fields, func(f types.Field) bool { return hasFloat(f.Type) })
}
