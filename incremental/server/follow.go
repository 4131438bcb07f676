package server

import (
	"encoding/json"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// follower passes the records of a query on to one client.
type follower struct {
	w       *recorder
	out     *json.Encoder
	records chan *trigger.Progress
	seen    int64 // the last batch that was sent
}

// follow sends the last records and then each new one, until the query, the client or the
// server ends. A client that does not take them misses some, and holds nothing up.
func (s *Server) follow(c *call, q *engine.Query, last int64) error {
	f := &follower{w: c.w, out: json.NewEncoder(c.w), records: make(chan *trigger.Progress, 256), seen: -1}
	gone := c.r.Context().Done()
	sub := s.opt.Engine.Listen(engine.Funcs{Progress: func(from *engine.Query, p *trigger.Progress) {
		if from != q {
			return
		}
		select {
		case f.records <- p:
		case <-gone:
		}
	}})
	defer sub.Close()
	c.w.Header().Set("Content-Type", jsonLines)
	for _, p := range lastOf(q.RecentProgress(), last) {
		if err := f.send(p); err != nil {
			return err
		}
	}
	c.w.Flush()
	for {
		select {
		case p := <-f.records:
			if err := f.send(p); err != nil {
				return err
			}
			c.w.Flush()
		case <-q.Done():
			sub.Close()
			return f.rest(sub)
		case <-gone:
			return nil
		case <-s.ended.Done():
			return nil
		}
	}
}

// send writes a record, unless it has been written.
func (f *follower) send(p *trigger.Progress) error {
	if p.BatchID <= f.seen {
		return nil
	}
	f.seen = p.BatchID
	return f.out.Encode(p)
}

// rest sends what was still on its way when the query ended.
func (f *follower) rest(sub *engine.Subscription) error {
	for {
		select {
		case p := <-f.records:
			if err := f.send(p); err != nil {
				return err
			}
		case <-sub.Done():
			for len(f.records) > 0 {
				if err := f.send(<-f.records); err != nil {
					return err
				}
			}
			return nil
		}
	}
}
