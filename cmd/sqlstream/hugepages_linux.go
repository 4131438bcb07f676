package main

import (
	"runtime"
	"runtime/debug"
	"syscall"
)

// hugeHeap is how much of the heap gets huge pages: address space, not memory.
const hugeHeap = 256 << 20

// earlyHeap is what a process allocates before its heap is collected for the first time: a
// short query ends before it. The runtime's own threshold, 4 MiB times GOGC, is meant for
// programs that stay small.
const earlyHeap = 32 << 20

// useHugePages asks the kernel for huge pages under the first part of the heap. Where it
// gives them on request only, as most distributions have it, a heap that grows pays for
// each small page: up to a third of a short query's time, and more with two workers.
//
// The heap gets to that address space by allocating it, untouched, and letting it go; the
// advice stays with the addresses. Until the first collection finds it gone, the threshold
// is higher by as much, so that no collection is made for its sake. A limit on address
// space leaves no room for that, and a small memory limit none for pages that are filled
// by halves. groupLimit is 0 for none.
func useHugePages(groupLimit int64) {
	var space syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) != nil || space.Cur < 1<<40 || groupLimit > 0 && groupLimit < 2*hugeHeap {
		return
	}
	const smallest = 4 << 20 // the threshold at GOGC=100
	usual := debug.SetGCPercent((hugeHeap + earlyHeap) / smallest * 100)
	heap := make([]byte, hugeHeap)
	runtime.AddCleanup(&heap[0], func(percent int) { debug.SetGCPercent(percent) }, usual)
	_ = syscall.Madvise(heap, syscall.MADV_HUGEPAGE) // a kernel without them goes on with small ones
}
