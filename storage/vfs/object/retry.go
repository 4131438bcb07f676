package object

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// Retry says how often and how fast requests are sent again.
type Retry struct {
	Attempts int                                              // 0 = 6
	First    time.Duration                                    // before the second attempt; doubled each time; 0 = 100 ms
	Wait     func(ctx context.Context, d time.Duration) error // nil = a timer
}

const (
	defaultAttempts = 6
	defaultFirst    = 100 * time.Millisecond
	longest         = 5 * time.Second
)

func (r Retry) filled() Retry {
	if r.Attempts == 0 {
		r.Attempts = defaultAttempts
	}
	if r.First == 0 {
		r.First = defaultFirst
	}
	if r.Wait == nil {
		r.Wait = waitReal
	}
	return r
}

func waitReal(ctx context.Context, d time.Duration) error {
	t := clock.Real().NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// do calls f until it does not fail in passing. Waiting times double, and vary by half, so
// that many writers do not come back together.
func (r Retry) do(ctx context.Context, f func() error) error {
	wait := r.First
	for n := 1; ; n++ {
		err := f()
		if err == nil || !errors.Is(err, ErrTransient) {
			return err
		}
		if n == r.Attempts {
			return fmt.Errorf("%w (tried %d times)", err, n)
		}
		if e := r.Wait(ctx, wait/2+rand.N(wait/2+1)); e != nil {
			return errors.Join(err, e)
		}
		wait = min(2*wait, longest)
	}
}

// retrying is a Bucket that repeats requests. Every one of them may have had its effect
// although its answer was lost: the callers in this package expect that.
type retrying struct {
	b Bucket
	r Retry
}

func (t *retrying) Get(ctx context.Context, key string, off, n int64, etag string) (data []byte, info Info, err error) {
	err = t.r.do(ctx, func() error {
		data, info, err = t.b.Get(ctx, key, off, n, etag)
		return err
	})
	return data, info, err
}

func (t *retrying) Head(ctx context.Context, key string) (info Info, err error) {
	err = t.r.do(ctx, func() error {
		info, err = t.b.Head(ctx, key)
		return err
	})
	return info, err
}

func (t *retrying) Put(ctx context.Context, key string, body []byte, c Condition) (info Info, err error) {
	err = t.r.do(ctx, func() error {
		info, err = t.b.Put(ctx, key, body, c)
		return err
	})
	return info, err
}

func (t *retrying) List(ctx context.Context, l Listing) (p Page, err error) {
	err = t.r.do(ctx, func() error {
		p, err = t.b.List(ctx, l)
		return err
	})
	return p, err
}

func (t *retrying) Delete(ctx context.Context, keys []string) error {
	for len(keys) > 0 {
		n := min(len(keys), MaxDelete)
		if err := t.r.do(ctx, func() error { return t.b.Delete(ctx, keys[:n]) }); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

func (t *retrying) StartUpload(ctx context.Context, key string) (id string, err error) {
	err = t.r.do(ctx, func() error {
		id, err = t.b.StartUpload(ctx, key)
		return err
	})
	return id, err
}

func (t *retrying) UploadPart(ctx context.Context, key, id string, n int, body []byte) (etag string, err error) {
	err = t.r.do(ctx, func() error {
		etag, err = t.b.UploadPart(ctx, key, id, n, body)
		return err
	})
	return etag, err
}

func (t *retrying) FinishUpload(ctx context.Context, key, id string, etags []string) error {
	return t.r.do(ctx, func() error { return t.b.FinishUpload(ctx, key, id, etags) })
}

func (t *retrying) AbortUpload(ctx context.Context, key, id string) error {
	err := t.r.do(ctx, func() error { return t.b.AbortUpload(ctx, key, id) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (t *retrying) Uploads(ctx context.Context, prefix string) (u []Upload, err error) {
	err = t.r.do(ctx, func() error {
		u, err = t.b.Uploads(ctx, prefix)
		return err
	})
	return u, err
}
