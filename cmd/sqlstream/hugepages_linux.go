package main

import (
	"runtime"
	"syscall"
)

// hugeHeap is how much of the heap gets huge pages: address space, not memory.
const hugeHeap = 256 << 20

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
	heap := make([]byte, hugeHeap)
	if syscall.Madvise(heap, syscall.MADV_HUGEPAGE) != nil {
		return // a kernel without them
	}
	runtime.KeepAlive(heap)
	heap = nil
	runtime.GC() // so that the next collection comes when it would have come
}
