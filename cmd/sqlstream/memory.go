package main

import (
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// tuneMemory lets the heap grow to three times what lives before it is collected, and
// keeps the process within 85 % of what its control group may have. GOGC and GOMEMLIMIT
// win.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := groupLimit(os.ReadFile)
	if limit > 0 {
		debug.SetMemoryLimit(limit / 100 * 85)
	}
	go useHugePages(limit)
}

// groupLimit is the memory limit of the control group that this process is in, the
// smallest of its own and its ancestors'; 0 = none.
func groupLimit(read func(string) ([]byte, error)) int64 {
	self, err := read("/proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(self)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) != 3:
		case parts[1] == "": // version 2
			least = min(least, treeLimit(read, "/sys/fs/cgroup", parts[2], "memory.max"))
		case strings.Contains(","+parts[1]+",", ",memory,"):
			least = min(least, treeLimit(read, "/sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes"))
		}
	}
	if least >= 1<<60 { // "unlimited" in version 1 is a number near the greatest
		return 0
	}
	return least
}

// treeLimit is the least limit of a group and the groups above it.
func treeLimit(read func(string) ([]byte, error), root, group, file string) int64 {
	least := int64(math.MaxInt64)
	for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
		if text, err := read(root + path.Join(dir, file)); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				least = min(least, n)
			}
		}
		if dir == "/" {
			return least
		}
	}
}
