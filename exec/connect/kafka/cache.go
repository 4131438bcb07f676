package kafka

import (
	"container/list"
	"sync"
)

// cacheBytes is how much of what was read last a hub keeps: what one source has read
// another may read next, and the end of what a broker sent may belong to the next trigger.
const cacheBytes = 32 << 20

// stretch is the key of the blocks of a partition.
type stretch struct {
	place
	id        topicID
	committed bool
}

// cache keeps the blocks that were used last.
type cache struct {
	mu    sync.Mutex
	most  int64
	bytes int64
	used  *list.List // of cached, the last used in front
	of    map[stretch][]*list.Element
	calls map[fetchCall]*call
}

type cached struct {
	of stretch
	b  *block
}

// fetchCall is a request that is under way.
type fetchCall struct {
	stretch
	from int64
}

type call struct {
	done chan struct{}
	b    *block
	err  error
}

func newCache(most int64) *cache {
	return &cache{most: most, used: list.New(), of: map[stretch][]*list.Element{}, calls: map[fetchCall]*call{}}
}

// get finds a block that has the offset; nil = there is none.
func (c *cache) get(s stretch, offset int64) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(s, offset)
}

func (c *cache) find(s stretch, offset int64) *block {
	for _, e := range c.of[s] {
		if b := e.Value.(*cached).b; b.first <= offset && offset < b.next {
			c.used.MoveToFront(e)
			return b
		}
	}
	return nil
}

// put keeps a block, and forgets those that were not used for longest.
func (c *cache) put(s stretch, b *block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.bytes > c.most || c.find(s, b.first) != nil {
		return
	}
	c.of[s] = append(c.of[s], c.used.PushFront(&cached{s, b}))
	for c.bytes += b.bytes + blockOverhead; c.bytes > c.most; {
		c.drop(c.used.Back())
	}
}

// blockOverhead is what a block costs besides its records.
const blockOverhead = 4 << 10

func (c *cache) drop(e *list.Element) {
	x := c.used.Remove(e).(*cached)
	c.bytes -= x.b.bytes + blockOverhead
	rest := c.of[x.of][:0]
	for _, other := range c.of[x.of] {
		if other != e {
			rest = append(rest, other)
		}
	}
	clear(c.of[x.of][len(rest):])
	if c.of[x.of] = rest; len(rest) == 0 {
		delete(c.of, x.of)
	}
}

// begin finds the block of an offset, or the request for it that is under way (wait), or
// makes the caller the one who asks: it then calls end.
func (c *cache) begin(k fetchCall) (b *block, wait *call, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.find(k.stretch, k.from); b != nil {
		return b, nil, false
	}
	if w, ok := c.calls[k]; ok {
		return nil, w, false
	}
	w := &call{done: make(chan struct{})}
	c.calls[k] = w
	return nil, w, true
}

func (c *cache) end(k fetchCall, w *call, b *block, err error) {
	w.b, w.err = b, err
	c.mu.Lock()
	delete(c.calls, k)
	c.mu.Unlock()
	close(w.done)
}

// remove forgets a block that nobody will read again.
func (c *cache) remove(s stretch, b *block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.of[s] {
		if e.Value.(*cached).b == b {
			c.drop(e)
			return
		}
	}
}
