// Package scalar holds the scalar functions and generators, one small family a file,
// each a value that describes itself. exec/builtin lists them through All and
// Generators. It knows vectors and types, and evaluates no expressions. Open
// arith.go for typed kernels, text.go for the usual shape of a function; kernel.go
// has the loops that they share.
package scalar

import "github.com/sqlstream/sqlstream/exec/fn"

// All lists every scalar function, as fresh values.
func All() []*fn.Scalar {
	var all []*fn.Scalar
	for _, family := range families() {
		all = append(all, family...)
	}
	for _, f := range all {
		switch {
		case f.Infinity != fn.InfinityByFamily:
			fn.Infinite(f, f.Infinity)
		case f.Group == "Time" && f.Form == fn.Ordinary:
			fn.Infinite(f, fn.KeepInfinity)
		}
	}
	return all
}

// families is the explicit list, in the order of the reference.
func families() [][]*fn.Scalar {
	return [][]*fn.Scalar{
		arithmetic(), comparisons(), conditionals(), patterns(), regexps(),
		maths(), roundings(), texts1(), searches(), codecs(), distances(), masks(),
		fields(), truncations(), buckets(), movements(), differences(), makers(), intervals(), clocks(), zoneFunctions(), conversions(),
		arrays(), structsAndMaps(), lambdas(), bitwise(), miscellany(),
		jsonFunctions(), csvFunctions(), checkDigits(), windowNumbers(), firstModes(), typeCalls(), zips(), choices(),
		lists(), seriesLists(), listLambdas(), mapExtras(), structExtras(), vectors(), bitmaps(),
		jsonStandard(), jsonChanges(), jsonParts(), hlls(),
		bars(), graphemes(), pathJoins(), castsLike(), invocations(), decimalDivisions(), binBounds(), downsamplings(),
		byteParts(), arrayDims(),
	}
}
