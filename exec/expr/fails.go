package expr

// MayFail reports an expression that has no value for some rows: where the query fails, or
// the value is NULL and counted.
func MayFail(n Node) bool {
	fails := false
	Walk(n, func(n Node) bool {
		switch x := n.(type) {
		case *Try:
			return false
		case *Call:
			fails = fails || !x.Impl.Total && !x.Impl.Safe
		case *Cast:
			fails = fails || !x.Try && !x.impl.Total
		}
		return !fails
	})
	return fails
}
