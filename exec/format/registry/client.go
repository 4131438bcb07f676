package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// Schema is a schema of the registry.
type Schema struct {
	ID      int
	Version int  // of its subject; 0 if it was found by its id
	Kind    Kind // how the text is written
	Text    string
	// References are the texts that this one refers to, each behind those that it needs.
	References []Reference
}

// Reference is a text that another one refers to by name.
type Reference struct{ Name, Text string }

// Kind is a language of schemas.
type Kind string

// The languages.
const (
	Avro     Kind = "AVRO"
	Protobuf Kind = "PROTOBUF"
	JSON     Kind = "JSON"
)

const (
	maxKnown      = 1000 // ids that are remembered
	maxReferences = 200  // texts that belong to a schema
)

// ErrUnknown is an id or subject that the registry does not have. All other errors say
// nothing of the data: what was asked may be asked again.
var ErrUnknown = errors.New("not found")

// ByID returns the schema of an id. It asks once for each id.
func (c *Client) ByID(ctx context.Context, id int) (*Schema, error) {
	k, ok := c.remembered(id)
	if !ok {
		c.fetch.Lock()
		defer c.fetch.Unlock()
		if k, ok = c.remembered(id); !ok {
			s, err := c.byID1(ctx, id)
			if err != nil && !errors.Is(err, ErrUnknown) {
				return nil, err
			}
			k = known{s}
			c.remember(id, k)
		}
	}
	if k.schema == nil {
		return nil, c.wrap(fmt.Errorf("schema %d: %w", id, ErrUnknown))
	}
	return k.schema, nil
}

func (c *Client) remembered(id int) (known, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.byID[id]
	return k, ok
}

// remember keeps what was learned. Ids are many only where messages are no messages of
// this registry.
func (c *Client) remember(id int, k known) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byID) >= maxKnown {
		clear(c.byID)
	}
	c.byID[id] = k
}

func (c *Client) byID1(ctx context.Context, id int) (*Schema, error) {
	var s sr.Schema
	err := c.do(ctx, fmt.Sprintf("schema %d", id), func(ctx context.Context) (err error) {
		s, err = c.sr.SchemaByID(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.whole(ctx, sr.SubjectSchema{ID: id, Schema: s})
}

// Latest returns the newest schema of a subject, or ErrUnknown.
func (c *Client) Latest(ctx context.Context, subject string) (*Schema, error) {
	return c.version(ctx, subject, -1)
}

// version returns a version of a subject; −1 is the newest.
func (c *Client) version(ctx context.Context, subject string, version int) (*Schema, error) {
	var s sr.SubjectSchema
	err := c.do(ctx, fmt.Sprintf("subject %q", subject), func(ctx context.Context) (err error) {
		s, err = c.sr.SchemaByVersion(ctx, subject, version)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.whole(ctx, s)
}

// whole fetches what a schema refers to.
func (c *Client) whole(ctx context.Context, s sr.SubjectSchema) (*Schema, error) {
	out := &Schema{ID: s.ID, Version: s.Version, Kind: Kind(s.Type.String()), Text: s.Schema.Schema}
	return out, c.follow(ctx, s.References, out, map[string]bool{})
}

func (c *Client) follow(ctx context.Context, refs []sr.SchemaReference, out *Schema, seen map[string]bool) error {
	for _, r := range refs {
		if seen[r.Name] {
			continue
		}
		if seen[r.Name] = true; len(seen) > maxReferences {
			return c.wrap(fmt.Errorf("schema %d refers to more than %d others", out.ID, maxReferences))
		}
		var s sr.SubjectSchema
		err := c.do(ctx, fmt.Sprintf("subject %q, version %d", r.Subject, r.Version), func(ctx context.Context) (err error) {
			s, err = c.sr.SchemaByVersion(ctx, r.Subject, r.Version)
			return err
		})
		if err != nil {
			return err
		}
		if err := c.follow(ctx, s.References, out, seen); err != nil {
			return err
		}
		out.References = append(out.References, Reference{r.Name, s.Schema.Schema})
	}
	return nil
}

// Register returns the id of a schema under a subject. It is registered if register is
// true and the subject does not have it.
func (c *Client) Register(ctx context.Context, subject string, kind Kind, text string, register bool) (int, error) {
	var s sr.Schema
	s.Schema = text
	if err := s.Type.UnmarshalText([]byte(kind)); err != nil {
		return 0, c.wrap(err)
	}
	var id int
	err := c.do(ctx, fmt.Sprintf("subject %q", subject), func(ctx context.Context) error {
		if !register {
			found, err := c.sr.LookupSchema(ctx, subject, s)
			id = found.ID
			return err
		}
		var err error
		id, err = c.sr.RegisterSchema(ctx, subject, s, -1, -1)
		return err
	})
	if !register && errors.Is(err, ErrUnknown) {
		return 0, fmt.Errorf("%w: it does not have the schema of the messages, and auto_register_schemas is false", err)
	}
	return id, err
}

// do makes a request, again and again while the registry cannot be reached.
func (c *Client) do(ctx context.Context, what string, request func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 3*time.Second) {
		err := request(limited)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !passing(err) || limited.Err() != nil {
			return c.wrap(fmt.Errorf("%s: %w", what, explained(err)))
		}
		t := clock.Real().NewTimer(wait)
		select {
		case <-t.C():
		case <-limited.Done():
			t.Stop()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return c.wrap(fmt.Errorf("%s: %w", what, explained(err)))
		}
	}
}

// passing reports an error that may be gone soon.
func passing(err error) bool {
	var r *sr.ResponseError
	if errors.As(err, &r) {
		return r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout
	}
	var u *url.Error
	return errors.As(err, &u) // no answer at all
}

// explained says what an error of the client means.
func explained(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return fmt.Errorf("it cannot be reached: %w", u.Err)
	}
	var r *sr.ResponseError
	if !errors.As(err, &r) {
		return err
	}
	message := r.Message
	if message == "" {
		message = excerpt(string(r.Raw))
	}
	switch {
	case r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden:
		return fmt.Errorf("it refused the credentials (HTTP %d); see schema_registry_user, schema_registry_password and schema_registry_token", r.StatusCode)
	case r.StatusCode == http.StatusNotFound && r.ErrorCode >= 40400:
		return ErrUnknown
	case r.StatusCode == http.StatusNotFound:
		return fmt.Errorf("there is no such address (HTTP 404): is this a schema registry with Confluent's API? It may lie below a path, as in http://host:port/apis/ccompat/v7: %s", message)
	case r.StatusCode == http.StatusConflict || r.ErrorCode == 409:
		return fmt.Errorf("the schema is incompatible with an earlier one of the subject: %s; change the columns in a compatible way, or use another subject (schema_subject)", message)
	}
	return fmt.Errorf("HTTP %d: %s", r.StatusCode, message)
}

func excerpt(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 300 {
		return s[:300] + " …"
	}
	return s
}
