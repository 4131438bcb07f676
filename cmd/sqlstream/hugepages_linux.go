package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
)

// hugeHeap is how much of the heap gets huge pages: address space, not memory.
const hugeHeap = 256 << 20

// earlyHeap is how far the heap grows at first before it is collected: a short query ends
// below it. The runtime's own threshold follows from what lives at the start, next to
// nothing.
const earlyHeap = 48 << 20

// useHugePages asks the kernel for huge pages under the first part of the heap. Where it
// gives them on request only, as most distributions have it, a heap that grows pays for
// each small page: up to a third of a short query's time, and more with two workers.
//
// The heap gets to that address space by allocating it, untouched, and letting it go; the
// advice stays with the addresses. A limit on address space leaves no room for that, and a
// small memory limit none for pages that are filled by halves. groupLimit is 0 for none.
func useHugePages(groupLimit int64) {
	var space syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) != nil || space.Cur < 1<<40 || groupLimit > 0 && groupLimit < 2*hugeHeap {
		return
	}
	usual := debug.SetGCPercent(-1) // one collection is enough, the one below
	heap := make([]byte, hugeHeap)
	err := syscall.Madvise(heap, syscall.MADV_HUGEPAGE)
	runtime.KeepAlive(heap)
	heap = nil
	if err == nil { // else a kernel without them
		runtime.GC()
	}
	debug.SetGCPercent(early(usual))
	if usual >= 0 {
		runtime.AddCleanup(new([64]byte), func(usual int) { debug.SetGCPercent(usual) }, usual)
	}
}

// early is the percentage that lets the heap grow to earlyHeap. The collector adds it to
// all that it has to look through, not to the heap alone.
func early(usual int) int {
	sizes := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/globals:bytes"}, {Name: "/gc/scan/stack:bytes"}}
	metrics.Read(sizes)
	live, all := sizes[0].Value.Uint64(), uint64(0)
	for _, s := range sizes {
		all += s.Value.Uint64()
	}
	if usual < 0 || live > earlyHeap || all == 0 {
		return usual
	}
	return max(usual, int((earlyHeap-live)*100/all))
}
