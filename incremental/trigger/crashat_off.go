//go:build !mutants

package trigger

// crashAt ends the process at a point that the environment names: never in this build.
func crashAt(Point, int64) {}
