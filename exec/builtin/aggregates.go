package builtin

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
)

// aggregates is the list of all aggregate functions.
func aggregates() []fn.Aggregate {
	list := []fn.Aggregate{
		agg.Count, agg.CountIf, agg.ApproxCountDistinct,
		agg.Sum, agg.Avg, agg.TrySum, agg.TryAvg, agg.DecimalAverage, agg.HistogramExact,
		agg.Min, agg.Max, agg.MinBy, agg.MaxBy,
		agg.BoolAnd, agg.BoolOr, agg.BitAnd, agg.BitOr, agg.BitXor,
		agg.First, agg.Last, agg.AnyValue, agg.ArrayAgg, agg.CollectSet, agg.StringAgg, agg.GroupConcat, agg.List, agg.CollectUnion,
		agg.MapAgg, agg.Histogram, agg.JSONArrayAgg, agg.JSONObjectAgg, agg.Product,
		agg.Mode, agg.Median, agg.Percentile, agg.PercentileDisc, agg.QuantileDD, agg.HistogramNumeric, agg.ApproxTopK,
		agg.RegrCount,
	}
	list = append(list, agg.Statistics()...)
	list = append(list, agg.Regressions()...)
	for _, more := range [][]fn.Aggregate{agg.ByArguments(), agg.Spreads(), agg.Bitmaps(), agg.VectorSums(), agg.Sketches()} {
		list = append(list, more...)
	}
	return append(list, agg.HigherMoments()...)
}
