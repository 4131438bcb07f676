// Package object is a file system on an object store: whole objects, written by one
// request each, that readers see entirely or not at all.
//
// It owns how files become objects, and relies on nothing but what every S3 store
// promises: a PUT is atomic, a read after it sees it, and a PUT can be made conditional.
// There are no directories, no renames and no locks:
//
//   - A file written under a temporary name (.x.tmp) stays in this process until it is
//     renamed, and becomes one PUT of its last name (file.go, scratch.go).
//   - A file made by CreateExclusive is a log: each Sync is one immutable record, and the
//     records of a directory share one sequence, whose next number only one writer can
//     take. TakeOver takes one, and so fences whoever wrote before (log.go, record.go).
//   - A staged file is a multipart upload that is completed to reveal it (stage.go).
//
// The store itself is behind Bucket, with retries in retry.go. The package knows neither
// S3's protocol (storage/vfs/s3) nor what the files mean. Open this file first, then fs.go.
package object

import (
	"context"
	"errors"
	"time"
)

// Bucket is an object store as this package uses it. Implementations are safe for
// concurrent use. Errors: fs.ErrNotExist for what is not there, ErrPrecondition,
// ErrTransient where the same request may succeed later; after that it is unknown
// whether the request had its effect.
type Bucket interface {
	// Get returns n bytes from off on, fewer at the end; n < 0: all. With etag, only if
	// the object is still that one, else ErrPrecondition.
	Get(ctx context.Context, key string, off, n int64, etag string) ([]byte, Info, error)
	Head(ctx context.Context, key string) (Info, error)
	// Put makes or replaces an object, if the condition holds.
	Put(ctx context.Context, key string, body []byte, c Condition) (Info, error)
	// List returns objects in the order of keys; Page.More asks for the next page.
	List(ctx context.Context, l Listing) (Page, error)
	// Delete removes up to MaxDelete objects; missing ones are no error.
	Delete(ctx context.Context, keys []string) error
	// StartUpload begins an object of several parts, which nobody sees before
	// FinishUpload. The parts have numbers from 1; all but the last have PartBytes.
	StartUpload(ctx context.Context, key string) (id string, err error)
	UploadPart(ctx context.Context, key, id string, n int, body []byte) (etag string, err error)
	FinishUpload(ctx context.Context, key, id string, etags []string) error
	AbortUpload(ctx context.Context, key, id string) error
	// Uploads lists the unfinished uploads of keys with a prefix.
	Uploads(ctx context.Context, prefix string) ([]Upload, error)
}

// MaxDelete is how many objects one request may delete.
const MaxDelete = 1000

// The failures that callers branch on, beside fs.ErrNotExist.
var (
	ErrPrecondition = errors.New("the object is not the expected one")
	ErrTransient    = errors.New("the store did not answer as it should")
)

// Info describes an object.
type Info struct {
	Key      string
	Size     int64
	ETag     string
	Modified time.Time
}

// Condition of a Put; the zero value is none.
type Condition struct {
	Absent bool   // no object has the key
	ETag   string // the object is still that one
}

// Listing asks for objects whose key begins with Prefix and is behind After.
type Listing struct {
	Prefix, After string
	// Flat gives the objects of the whole tree; else those with a further slash appear
	// as one directory.
	Flat bool
	Max  int // 0 = as many as the store likes
}

// Page is part of a listing.
type Page struct {
	Objects []Info
	Dirs    []string // common prefixes, with their slash
	// Next is what After is for the following page; "" = this is the last.
	Next string
}

// Upload is an unfinished upload.
type Upload struct{ Key, ID string }
