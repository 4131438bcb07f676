//go:build mutants

package trigger

import (
	"fmt"
	"os"
)

// crashAt ends the process, as kill -9 does, at the point and batch that
// SQLSTREAM_CRASH_AT names: "prepared:3". Batch −1 is any.
func crashAt(p Point, batch int64) {
	want := os.Getenv("SQLSTREAM_CRASH_AT")
	if want != fmt.Sprintf("%s:%d", p, batch) && want != fmt.Sprintf("%s:-1", p) {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // the signal is on its way
}
