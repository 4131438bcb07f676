package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"

	"github.com/minio/minio-go/v7"

	"github.com/sqlstream/sqlstream/storage/vfs/object"
)

// Error is a failed request: what, where, why, and the way out. It holds no credentials.
type Error struct {
	What string // "read s3://bucket/key"
	Why  string
	Hint string
	Err  error // a kind that callers branch on, or nil
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.What + ": " + e.Why
	}
	return e.What + ": " + e.Why + "; " + e.Hint
}

// Unwrap gives the kind.
func (e *Error) Unwrap() error { return e.Err }

// WayOut is the hint: storage says nothing of disks then.
func (e *Error) WayOut() string { return e.Hint }

// describe turns an answer, or the lack of one, into an error for people.
func (b *bucket) describe(what, key string, err error) error {
	if err == nil {
		return nil
	}
	out := &Error{What: fmt.Sprintf("%s s3://%s/%s", what, b.name, key)}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) || answer.StatusCode == 0 && answer.Code == "" {
		return b.unanswered(out, err)
	}
	b.refused(out, answer)
	return out
}

// refused explains an answer.
func (b *bucket) refused(out *Error, a minio.ErrorResponse) {
	out.Why = fmt.Sprintf("the store answered %s: %s", a.Code, a.Message)
	switch a.Code {
	case "NoSuchKey", "NoSuchUpload", "NotFound":
		out.Err, out.Why = fs.ErrNotExist, "it does not exist"
	case "NoSuchBucket":
		out.Why = fmt.Sprintf("bucket %q does not exist at %s", b.name, b.where())
		out.Hint = "create it, or correct the path or s3_endpoint"
	case "PreconditionFailed":
		out.Err = object.ErrPrecondition
	case "ConditionalRequestConflict", "OperationAborted":
		out.Err = object.ErrTransient
	case "AccessDenied", "AllAccessDisabled", "AccountProblem":
		out.Why = fmt.Sprintf("access is denied at %s (%s)", b.where(), b.identity())
		out.Hint = "the identity needs s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload, s3:ListBucket and s3:ListBucketMultipartUploads there"
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "XAmzContentSHA256Mismatch":
		out.Why = fmt.Sprintf("the credentials are not accepted at %s (%s, %s)", b.where(), a.Code, b.identity())
		out.Hint = "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or s3_access_key and s3_secret_key"
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "IllegalLocationConstraintException", "InvalidRegion":
		out.Why = fmt.Sprintf("bucket %q is not in region %s (%s)", b.name, b.region(), a.Code)
		out.Hint = "set s3_region, or AWS_REGION, to the bucket's region" + regionOf(a)
	case "RequestTimeTooSkewed":
		out.Hint = "the clock of this machine is off; set it"
	default:
		b.byStatus(out, a)
	}
}

func regionOf(a minio.ErrorResponse) string {
	if a.Region == "" {
		return ""
	}
	return ": " + a.Region
}

func (b *bucket) byStatus(out *Error, a minio.ErrorResponse) {
	switch {
	case a.StatusCode == http.StatusPreconditionFailed:
		out.Err = object.ErrPrecondition
	case a.StatusCode == http.StatusNotFound:
		out.Err, out.Why = fs.ErrNotExist, "it does not exist"
	case a.StatusCode == http.StatusForbidden:
		out.Why = fmt.Sprintf("access is denied at %s (%s)", b.where(), b.identity())
		out.Hint = "check the credentials, and what they may do with this bucket"
	case a.StatusCode >= 500, a.StatusCode == http.StatusTooManyRequests, a.StatusCode == http.StatusRequestTimeout,
		a.Code == "SlowDown", a.Code == "InternalError", a.Code == "RequestTimeout":
		out.Err = object.ErrTransient
	}
}

// unanswered explains a request without an answer.
func (b *bucket) unanswered(out *Error, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, which is signed where it has a query
	}
	out.Why = fmt.Sprintf("%s cannot be reached: %v", b.where(), err)
	out.Hint = "check s3_endpoint, or AWS_ENDPOINT_URL, and the network"
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled):
		out.Err, out.Why, out.Hint = err, "it was interrupted", ""
	case errors.As(err, &dns) && dns.IsNotFound:
	case isNetwork(err):
		out.Err = object.ErrTransient
	}
	return out
}

func isNetwork(err error) bool {
	var n net.Error
	return errors.As(err, &n) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded)
}

func (b *bucket) where() string {
	u, err := b.cfg.url()
	if err != nil {
		return "the endpoint"
	}
	return u.Scheme + "://" + u.Host
}

func (b *bucket) region() string {
	if b.cfg.Region == "" {
		return "that was found out"
	}
	return b.cfg.Region
}

// identity says where the credentials came from, never what they are.
func (b *bucket) identity() string {
	switch {
	case b.cfg.Anonymous:
		return "asked anonymously"
	case b.cfg.AccessKey != "":
		return "with the access key that is set"
	}
	v, err := b.core.GetCreds()
	if err != nil || v.AccessKeyID == "" {
		return "no credentials were found in AWS_*, ~/.aws or the machine's role"
	}
	return "with credentials from the environment"
}
