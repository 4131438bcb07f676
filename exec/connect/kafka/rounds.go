package kafka

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// rounds lets many sources that ask the same question at the same time share the answer.
// Each caller's answer is to a question that was asked after its call, so nobody sees
// something older than it would have by itself.
type rounds struct {
	running sync.Mutex // held by the round that is under way
	mu      sync.Mutex
	next    *round // not under way yet; nil = nobody waits
}

type round struct {
	done chan struct{}
	ends map[place]int64
	err  error
}

// ends lists the end of each partition, once for all that ask for the same now.
func (h *hub) ends(ctx context.Context, parts []place, committed bool) (map[place]int64, error) {
	r := h.roundsOf(parts, committed)
	for {
		ends, mine, err := r.join(ctx, func() (map[place]int64, error) { return h.list(ctx, parts, atEnd, committed) })
		if err == nil || mine || ctx.Err() != nil {
			return ends, err
		} // who asked for all may have been told to stop
	}
}

func (h *hub) roundsOf(parts []place, committed bool) *rounds {
	var b strings.Builder
	fmt.Fprint(&b, committed)
	for _, p := range parts {
		fmt.Fprintf(&b, " %s", p.name())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.rounds[b.String()]
	if !ok {
		r = &rounds{}
		h.rounds[b.String()] = r
	}
	return r
}

// join takes part in the next round; mine says that this caller asked for all.
func (r *rounds) join(ctx context.Context, ask func() (map[place]int64, error)) (ends map[place]int64, mine bool, err error) {
	r.mu.Lock()
	x := r.next
	if mine = x == nil; mine {
		x = &round{done: make(chan struct{})}
		r.next = x
	}
	r.mu.Unlock()
	if !mine {
		select {
		case <-x.done:
			return x.ends, false, x.err
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	r.running.Lock()
	defer r.running.Unlock()
	r.mu.Lock()
	r.next = nil
	r.mu.Unlock()
	x.ends, x.err = ask()
	close(x.done)
	return x.ends, true, x.err
}
