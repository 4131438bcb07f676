package metrics

import (
	"os"
	"runtime"
	rt "runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// Process tells of the program itself. What a system does not tell is left out.
type Process struct {
	Version string
	Started time.Time
}

// ticksPerSecond is the unit of processor time in /proc, which Linux fixes.
const ticksPerSecond = 100

// Collect implements Source.
func (p Process) Collect(e *Emitter) {
	e.Value("sqlstream_build_info", 1, p.Version, runtime.Version())
	e.Value("process_start_time_seconds", seconds(p.Started))
	e.Value("go_goroutines", float64(runtime.NumGoroutine()))
	samples := []rt.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	rt.Read(samples)
	e.Value("go_memory_used_bytes", float64(samples[0].Value.Uint64()-samples[1].Value.Uint64()))
	e.Value("go_heap_live_bytes", float64(samples[2].Value.Uint64()))
	if raw, err := os.ReadFile("/proc/self/stat"); err == nil {
		collectStat(e, string(raw))
	}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		e.Value("process_open_fds", float64(len(fds)))
	}
}

// collectStat reads the line of /proc/self/stat; the fields behind the name of the
// program are counted from 3.
func collectStat(e *Emitter, line string) {
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	const first, utime, stime, rss = 3, 14, 15, 24
	if len(fields) <= rss-first {
		return
	}
	n := func(field int) float64 {
		x, err := strconv.ParseFloat(fields[field-first], 64)
		if err != nil {
			return 0
		}
		return x
	}
	e.Value("process_cpu_seconds_total", (n(utime)+n(stime))/ticksPerSecond)
	e.Value("process_resident_memory_bytes", n(rss)*float64(os.Getpagesize()))
}
