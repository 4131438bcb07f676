// Package s3 speaks S3's protocol: it makes the buckets of any S3-compatible store out of
// a client library, which it alone imports.
//
// It owns the settings and credentials (config.go) and says in errors what was wrong,
// where, and the way out (errors.go). What files are on such a store, and when a request
// is sent again, is the business of storage/vfs/object. Open this file first.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/sqlstream/sqlstream/storage/vfs/object"
)

// answerWithin is how long a store may take to begin its answer.
const answerWithin = 30 * time.Second

// store is one endpoint with one set of credentials.
type store struct {
	cfg  Config
	core minio.Core
}

// open makes the client. It sends nothing.
func open(cfg Config) (*store, error) {
	u, err := cfg.url()
	if err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupAuto
	switch {
	case cfg.PathStyle == "true", cfg.PathStyle == "" && cfg.Endpoint != "" && !strings.Contains(u.Host, "amazonaws.com"):
		lookup = minio.BucketLookupPath
	case cfg.PathStyle == "false":
		lookup = minio.BucketLookupDNS
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: cfg.credentials(), Secure: u.Scheme == "https", Region: cfg.Region, BucketLookup: lookup,
		MaxRetries: 1, // storage/vfs/object repeats, and knows what a lost answer means
		Transport:  transport(),
	})
	if err != nil {
		return nil, fmt.Errorf("S3 endpoint %s: %w", u.Redacted(), err)
	}
	client.SetAppInfo("sqlstream", "1")
	return &store{cfg, minio.Core{Client: client}}, nil
}

func transport() *http.Transport {
	dial := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dial.DialContext,
		MaxIdleConns: 64, MaxIdleConnsPerHost: 32, IdleConnTimeout: 60 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: answerWithin,
		ExpectContinueTimeout: time.Second, DisableCompression: true,
	}
}

// credentials are those that were given or, without any, what AWS programs take.
func (c Config) credentials() *credentials.Credentials {
	switch {
	case c.Anonymous:
		return credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
	case c.AccessKey != "":
		return credentials.NewStaticV4(c.AccessKey, c.SecretKey, c.SessionToken)
	}
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if c.roles {
		chain = append(chain, &credentials.IAM{Client: &http.Client{Transport: transport(), Timeout: 10 * time.Second}})
	}
	return credentials.NewChainCredentials(chain)
}

// bucket implements object.Bucket.
type bucket struct {
	*store
	name string
}

// Get implements object.Bucket.
func (b *bucket) Get(ctx context.Context, key string, off, n int64, etag string) ([]byte, object.Info, error) {
	var opt minio.GetObjectOptions
	if etag != "" {
		_ = opt.SetMatchETag(etag) // fails for an empty one alone
	}
	if off > 0 || n > 0 {
		end := int64(0) // to the end
		if n > 0 {
			end = off + n - 1
		}
		if off > 0 || end > 0 {
			opt.Set("Range", rangeOf(off, n))
		}
	}
	body, info, header, err := b.core.GetObject(ctx, b.name, key, opt)
	if status(err) == http.StatusRequestedRangeNotSatisfiable { // an empty object has no range
		info, err := b.Head(ctx, key)
		return nil, info, err
	}
	if err != nil {
		return nil, object.Info{}, b.describe("read", key, err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, object.Info{}, b.describe("read", key, err)
	}
	out := infoOf(key, info)
	if size, ok := total(header.Get("Content-Range")); ok {
		out.Size = size
	}
	return data, out, nil
}

func rangeOf(off, n int64) string {
	if n <= 0 {
		return fmt.Sprintf("bytes=%d-", off)
	}
	return fmt.Sprintf("bytes=%d-%d", off, off+n-1)
}

// total is the size of the object in "bytes 0-9/1234".
func total(contentRange string) (int64, bool) {
	_, size, ok := strings.Cut(contentRange, "/")
	n, err := strconv.ParseInt(size, 10, 64)
	return n, ok && err == nil
}

func infoOf(key string, i minio.ObjectInfo) object.Info {
	return object.Info{Key: key, Size: i.Size, ETag: strings.Trim(i.ETag, `"`), Modified: i.LastModified.UTC()}
}

// Head implements object.Bucket.
func (b *bucket) Head(ctx context.Context, key string) (object.Info, error) {
	info, err := b.core.StatObject(ctx, b.name, key, minio.StatObjectOptions{})
	if err != nil {
		return object.Info{}, b.describe("look at", key, err)
	}
	return infoOf(key, info), nil
}

// Put implements object.Bucket.
func (b *bucket) Put(ctx context.Context, key string, body []byte, c object.Condition) (object.Info, error) {
	opt := minio.PutObjectOptions{ContentType: "application/octet-stream"}
	if c.Absent {
		opt.SetMatchETagExcept("*")
	} else if c.ETag != "" {
		opt.SetMatchETag(c.ETag)
	}
	info, err := b.core.PutObject(ctx, b.name, key, bytes.NewReader(body), int64(len(body)), "", "", opt)
	if err != nil {
		return object.Info{}, b.describe("write", key, err)
	}
	return object.Info{Key: key, Size: int64(len(body)), ETag: strings.Trim(info.ETag, `"`), Modified: info.LastModified}, nil
}

// List implements object.Bucket.
func (b *bucket) List(_ context.Context, l object.Listing) (object.Page, error) {
	delimiter := "/"
	if l.Flat {
		delimiter = ""
	}
	r, err := b.core.ListObjectsV2(b.name, l.Prefix, l.After, "", delimiter, l.Max)
	if err != nil {
		return object.Page{}, b.describe("list", l.Prefix, err)
	}
	var p object.Page
	for _, o := range r.Contents {
		p.Objects = append(p.Objects, infoOf(o.Key, o))
		p.Next = max(p.Next, o.Key)
	}
	for _, d := range r.CommonPrefixes {
		p.Dirs = append(p.Dirs, d.Prefix)
		p.Next = max(p.Next, d.Prefix+behindDir)
	}
	if !r.IsTruncated {
		p.Next = ""
	}
	return p, nil
}

// behindDir makes a key behind all that begin with a directory: the largest character of
// UTF-8, so that the next page does not begin inside the directory.
const behindDir = "\U0010ffff"

// Delete implements object.Bucket.
func (b *bucket) Delete(ctx context.Context, keys []string) error {
	if len(keys) == 1 {
		err := b.core.RemoveObject(ctx, b.name, keys[0], minio.RemoveObjectOptions{})
		return b.describe("delete", keys[0], err)
	}
	all := make(chan minio.ObjectInfo, len(keys))
	for _, k := range keys {
		all <- minio.ObjectInfo{Key: k}
	}
	close(all)
	var errs []error
	for e := range b.core.RemoveObjects(ctx, b.name, all, minio.RemoveObjectsOptions{}) {
		errs = append(errs, b.describe("delete", e.ObjectName, e.Err))
	}
	if len(errs) > 0 {
		return errs[0]
	}
	return nil
}

// StartUpload implements object.Bucket.
func (b *bucket) StartUpload(ctx context.Context, key string) (string, error) {
	id, err := b.core.NewMultipartUpload(ctx, b.name, key, minio.PutObjectOptions{ContentType: "application/octet-stream"})
	return id, b.describe("write", key, err)
}

// UploadPart implements object.Bucket.
func (b *bucket) UploadPart(ctx context.Context, key, id string, n int, body []byte) (string, error) {
	p, err := b.core.PutObjectPart(ctx, b.name, key, id, n, bytes.NewReader(body), int64(len(body)), minio.PutObjectPartOptions{})
	return strings.Trim(p.ETag, `"`), b.describe("write", key, err)
}

// FinishUpload implements object.Bucket.
func (b *bucket) FinishUpload(ctx context.Context, key, id string, etags []string) error {
	parts := make([]minio.CompletePart, len(etags))
	for i, e := range etags {
		parts[i] = minio.CompletePart{PartNumber: i + 1, ETag: e}
	}
	_, err := b.core.CompleteMultipartUpload(ctx, b.name, key, id, parts, minio.PutObjectOptions{})
	return b.describe("write", key, err)
}

// AbortUpload implements object.Bucket.
func (b *bucket) AbortUpload(ctx context.Context, key, id string) error {
	return b.describe("give up", key, b.core.AbortMultipartUpload(ctx, b.name, key, id))
}

// Uploads implements object.Bucket.
func (b *bucket) Uploads(ctx context.Context, prefix string) (out []object.Upload, err error) {
	key, id := "", ""
	for {
		r, err := b.core.ListMultipartUploads(ctx, b.name, prefix, key, id, "", 0)
		if err != nil {
			return nil, b.describe("list uploads below", prefix, err)
		}
		for _, u := range r.Uploads {
			name, err := url.QueryUnescape(u.Key)
			if err != nil || r.EncodingType != "url" {
				name = u.Key
			}
			out = append(out, object.Upload{Key: name, ID: u.UploadID})
		}
		if !r.IsTruncated || r.NextKeyMarker == "" && r.NextUploadIDMarker == "" {
			return out, nil
		}
		key, id = r.NextKeyMarker, r.NextUploadIDMarker
	}
}

var _ object.Bucket = (*bucket)(nil)

func status(err error) int {
	var e minio.ErrorResponse
	if errors.As(err, &e) {
		return e.StatusCode
	}
	return 0
}
