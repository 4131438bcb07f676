// Package objecttest is an object store in memory that does what tests fear of a real
// one: answers that are lost although the request had its effect, requests that arrive
// after their sender died, and failures of every kind.
//
// A Store outlives the processes of a test; each process has a Client of its own, which
// can die. It knows nothing of what is stored.
package objecttest

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/storage/vfs/object"
)

// ErrDead is the result of every request of a dead client.
var ErrDead = errors.New("the process is dead")

// Store is the durable part: it is safe for concurrent use.
type Store struct {
	mu      sync.Mutex
	objects map[string]stored
	uploads map[string]*upload
	clock   int64
	ids     int64
	late    []late
	counts  map[string]int64
	// PageSize of listings; 1000 by default.
	PageSize int
}

type stored struct {
	data []byte
	info object.Info
}

type upload struct {
	key   string
	parts map[int][]byte
}

// late is a request on its way: it arrives after so many further changes.
type late struct {
	after int64
	do    func()
}

// New returns an empty store.
func New() *Store {
	return &Store{objects: map[string]stored{}, uploads: map[string]*upload{}, counts: map[string]int64{}, PageSize: 1000}
}

// Keys lists all objects.
func (s *Store) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys()
}

func (s *Store) keys() []string {
	out := make([]string, 0, len(s.objects))
	for k := range s.objects {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Unfinished is how many uploads were neither finished nor aborted.
func (s *Store) Unfinished() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.uploads)
}

// Requests returns how many requests of each kind arrived, and forgets them.
func (s *Store) Requests() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	s.counts = map[string]int64{}
	return c
}

// arrive counts a request; a change lets requests arrive that were on their way.
func (s *Store) arrive(kind string, change bool) {
	s.counts[kind]++
	if !change {
		return
	}
	s.clock++
	rest := s.late[:0]
	for _, l := range s.late {
		if l.after--; l.after <= 0 {
			l.do()
		} else {
			rest = append(rest, l)
		}
	}
	s.late = rest
}

// Deliver lets everything arrive that is on its way.
func (s *Store) Deliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.late {
		l.do()
	}
	s.late = nil
}

func (s *Store) now() time.Time { return time.Unix(1_700_000_000+s.clock, 0).UTC() }

func (s *Store) set(key string, data []byte) object.Info {
	sum := md5.Sum(data)
	info := object.Info{Key: key, Size: int64(len(data)), ETag: hex.EncodeToString(sum[:]), Modified: s.now()}
	s.objects[key] = stored{data, info}
	return info
}

func (s *Store) put(key string, body []byte, c object.Condition) (object.Info, error) {
	old, there := s.objects[key]
	switch {
	case c.Absent && there, c.ETag != "" && there && old.info.ETag != c.ETag:
		return object.Info{}, fmt.Errorf("%s: %w", key, object.ErrPrecondition)
	case c.ETag != "" && !there:
		return object.Info{}, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	return s.set(key, body), nil
}

func (s *Store) page(l object.Listing) object.Page {
	var p object.Page
	limit := s.PageSize
	if l.Max > 0 {
		limit = min(limit, l.Max)
	}
	for _, k := range s.keys() {
		if !strings.HasPrefix(k, l.Prefix) || k <= l.After {
			continue
		}
		dir, isDir := "", false
		if !l.Flat {
			dir, _, isDir = strings.Cut(k[len(l.Prefix):], "/")
			dir = l.Prefix + dir + "/"
		}
		if isDir && (slices.Contains(p.Dirs, dir) || strings.HasPrefix(l.After, dir)) {
			continue
		}
		if len(p.Objects)+len(p.Dirs) == limit {
			return p
		}
		if isDir {
			p.Dirs, p.Next = append(p.Dirs, dir), dir+"\xff"
			continue
		}
		p.Objects, p.Next = append(p.Objects, s.objects[k].info), k
	}
	p.Next = ""
	return p
}

// Fate is what becomes of a request at which a client dies, or fails.
type Fate string

// The fates.
const (
	Before Fate = "before" // it is not sent
	After  Fate = "after"  // it has its effect, the answer is lost
	Late   Fate = "late"   // it arrives some requests later, if at all possible
)

// Client is one process's connection to the store. It implements object.Bucket.
type Client struct {
	s *Store

	mu      sync.Mutex
	changes int64
	dieAt   int64
	fate    Fate
	lag     int64
	dead    bool
	hook    func(n int64, kind, key string) (Fate, error)
}

// Client returns a new connection.
func (s *Store) Client() *Client { return &Client{s: s} }

// DieAt makes the client die at its n-th request that changes something, counted from 1;
// lag is how many further changes a late request takes to arrive.
func (c *Client) DieAt(n int64, fate Fate, lag int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dieAt, c.fate, c.lag = n, fate, lag
}

// OnRequest sets a function that is asked before every request, with the number of the
// change or 0. If it returns an error, that is the answer, and the fate says whether the
// request had its effect.
func (c *Client) OnRequest(hook func(n int64, kind, key string) (Fate, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hook = hook
}

// Dead reports whether the client died.
func (c *Client) Dead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

// Changes returns how many requests that change something were made.
func (c *Client) Changes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// begin decides about a request: err is its answer, and effect says whether it still
// reaches the store, after so many others.
func (c *Client) begin(kind, key string, change bool) (effect bool, lag int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return false, 0, ErrDead
	}
	n := int64(0)
	if change {
		c.changes++
		n = c.changes
		if c.dieAt > 0 && n >= c.dieAt {
			c.dead = true
			return c.fate != Before, pick(c.fate == Late, c.lag, 0), ErrDead
		}
	}
	if c.hook == nil {
		return true, 0, nil
	}
	fate, err := c.hook(n, kind, key)
	return err == nil || fate != Before, pick(fate == Late, c.lag, 0), err
}

func pick(b bool, yes, no int64) int64 {
	if b {
		return yes
	}
	return no
}

// run performs a request as begin decides.
func (c *Client) run(kind, key string, change bool, do func() error) error {
	effect, lag, err := c.begin(kind, key, change)
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if effect && lag > 0 {
		c.s.late = append(c.s.late, late{lag, func() { _ = do() }})
		return err
	}
	if effect {
		c.s.arrive(kind, change)
		if e := do(); err == nil {
			err = e
		}
	}
	return err
}

// Get implements object.Bucket.
func (c *Client) Get(_ context.Context, key string, off, n int64, etag string) (data []byte, info object.Info, err error) {
	err = c.run("get", key, false, func() error {
		o, ok := c.s.objects[key]
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", key, fs.ErrNotExist)
		case etag != "" && etag != o.info.ETag:
			return fmt.Errorf("%s: %w", key, object.ErrPrecondition)
		}
		end := int64(len(o.data))
		if n >= 0 {
			end = min(end, off+n)
		}
		data, info = slices.Clone(o.data[min(off, end):end]), o.info
		return nil
	})
	return data, info, err
}

// Head implements object.Bucket.
func (c *Client) Head(_ context.Context, key string) (info object.Info, err error) {
	err = c.run("head", key, false, func() error {
		o, ok := c.s.objects[key]
		if !ok {
			return fmt.Errorf("%s: %w", key, fs.ErrNotExist)
		}
		info = o.info
		return nil
	})
	return info, err
}

// Put implements object.Bucket.
func (c *Client) Put(_ context.Context, key string, body []byte, cond object.Condition) (info object.Info, err error) {
	body = slices.Clone(body)
	err = c.run("put", key, true, func() (err error) {
		info, err = c.s.put(key, body, cond)
		return err
	})
	return info, err
}

// List implements object.Bucket.
func (c *Client) List(_ context.Context, l object.Listing) (p object.Page, err error) {
	err = c.run("list", l.Prefix, false, func() error {
		p = c.s.page(l)
		return nil
	})
	return p, err
}

// Delete implements object.Bucket.
func (c *Client) Delete(_ context.Context, keys []string) error {
	keys = slices.Clone(keys)
	return c.run("delete", strings.Join(keys, " "), true, func() error {
		for _, k := range keys {
			delete(c.s.objects, k)
		}
		return nil
	})
}

// StartUpload implements object.Bucket.
func (c *Client) StartUpload(_ context.Context, key string) (id string, err error) {
	err = c.run("start upload", key, true, func() error {
		c.s.ids++
		id = fmt.Sprintf("upload-%d", c.s.ids)
		c.s.uploads[id] = &upload{key: key, parts: map[int][]byte{}}
		return nil
	})
	return id, err
}

// UploadPart implements object.Bucket.
func (c *Client) UploadPart(_ context.Context, key, id string, n int, body []byte) (etag string, err error) {
	body = slices.Clone(body)
	err = c.run("upload part", key, true, func() error {
		u := c.s.uploads[id]
		if u == nil || u.key != key {
			return fmt.Errorf("upload %s: %w", id, fs.ErrNotExist)
		}
		u.parts[n] = body
		sum := md5.Sum(body)
		etag = hex.EncodeToString(sum[:])
		return nil
	})
	return etag, err
}

// FinishUpload implements object.Bucket.
func (c *Client) FinishUpload(_ context.Context, key, id string, etags []string) error {
	return c.run("finish upload", key, true, func() error {
		u := c.s.uploads[id]
		if u == nil || u.key != key {
			return fmt.Errorf("upload %s: %w", id, fs.ErrNotExist)
		}
		var all []byte
		for i, want := range etags {
			body, ok := u.parts[i+1]
			if sum := md5.Sum(body); !ok || hex.EncodeToString(sum[:]) != want {
				return fmt.Errorf("upload %s: part %d is not the expected one", id, i+1)
			}
			all = append(all, body...)
		}
		c.s.set(key, all)
		delete(c.s.uploads, id)
		return nil
	})
}

// AbortUpload implements object.Bucket.
func (c *Client) AbortUpload(_ context.Context, key, id string) error {
	return c.run("abort upload", key, true, func() error {
		if c.s.uploads[id] == nil {
			return fmt.Errorf("upload %s: %w", id, fs.ErrNotExist)
		}
		delete(c.s.uploads, id)
		return nil
	})
}

// Uploads implements object.Bucket.
func (c *Client) Uploads(_ context.Context, prefix string) (out []object.Upload, err error) {
	err = c.run("list uploads", prefix, false, func() error {
		for id, u := range c.s.uploads {
			if strings.HasPrefix(u.key, prefix) {
				out = append(out, object.Upload{Key: u.key, ID: id})
			}
		}
		slices.SortFunc(out, func(a, b object.Upload) int { return strings.Compare(a.ID, b.ID) })
		return nil
	})
	return out, err
}

// FS returns a file system on the store for a new process, all of whose buckets are this
// one. It does not wait between attempts.
func (c *Client) FS(nonce string) *object.FS {
	return object.New(func(string) (object.Bucket, error) { return c, nil }, object.Options{
		Nonce: nonce, Writer: "process " + nonce,
		Retry: object.Retry{Attempts: 4, Wait: func(context.Context, time.Duration) error { return nil }},
	})
}
