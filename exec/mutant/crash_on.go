//go:build mutants

package mutant

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

var (
	mu   sync.Mutex
	seen = map[string]int{}
)

// CrashAt ends the process, as kill -9 does, at the place that SQLSTREAM_CRASH_AT names:
// "kafka.produced"; "kafka.produced#3" when it gets there for the third time.
func CrashAt(place string) {
	want, turn, counted := strings.Cut(os.Getenv("SQLSTREAM_CRASH_AT"), "#")
	if want != place {
		return
	}
	mu.Lock()
	seen[place]++
	n := seen[place]
	mu.Unlock()
	if counted && turn != strconv.Itoa(n) {
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
