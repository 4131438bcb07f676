// Package registry owns the client of schema registries (Confluent's HTTP API, which
// others offer too): its options, look-ups by id and subject with a bounded cache, the
// registration of schemas, and the header that stands before a message. It knows
// schemas as text alone: what one means is the business of the formats. Open this file
// first, then client.go; header.go has the bytes.
package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// ReadOptions are the options of formats whose messages may name a schema by its id.
func ReadOptions() []option.Spec {
	return []option.Spec{
		{Name: "schema_registry", Aliases: []string{"schema.registry.url", "schema_registry_url"},
			Doc: "The address of a schema registry with Confluent's API, such as 'http://localhost:8081'; several, separated by commas, are tried one after the other. Each message then begins with a zero byte and the number of its schema."},
		{Name: "schema_registry_user", Doc: "The user for the schema registry (basic authentication)."},
		{Name: "schema_registry_password", Type: option.Secret, Doc: "The password that goes with schema_registry_user."},
		{Name: "schema_registry_token", Type: option.Secret, Doc: "A bearer token for the schema registry, in place of user and password."},
		{Name: "schema_registry_ca", Type: option.Secret, Doc: "Certificates (PEM) that are trusted besides the system's, as '${file:ca.pem}'."},
		{Name: "schema_registry_certificate", Type: option.Secret, Doc: "The client's certificate (PEM), as '${file:client.pem}'."},
		{Name: "schema_registry_key", Type: option.Secret, Doc: "The private key (PEM) of the client's certificate."},
		{Name: "schema_registry_timeout", Type: option.Duration, Min: 1, Default: "30 seconds", Doc: "How long a request to the schema registry is tried again while it cannot be reached or is overloaded."},
		{Name: "schema_subject", Doc: "The subject of the messages in the schema registry. Default: that of the topic, such as 'orders-value'."},
	}
}

// WriteOptions are the options of formats whose messages are written with a schema.
func WriteOptions() []option.Spec {
	return append(ReadOptions(), option.Spec{Name: "auto_register_schemas", Aliases: []string{"auto.register.schemas"}, Type: option.Bool, Default: "true",
		Doc: "Register the schema of the messages if the subject does not have it yet; false: it must be there."})
}

// Client talks to one registry. It is safe for concurrent use.
type Client struct {
	sr      *sr.Client
	where   string // as messages show it
	timeout time.Duration

	fetch sync.Mutex // one request at a time: many ask for the same id at once
	mu    sync.Mutex
	byID  map[int]known
}

// known is what was learned of an id.
type known struct {
	schema *Schema // nil = there is none
}

// Open returns the client that the options name; nil if they name none.
func Open(o option.Decoded) (*Client, error) {
	urls, err := addresses(o)
	if err != nil || len(urls) == 0 {
		return nil, err
	}
	t, err := tlsConfig(o)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = t
	opts := []sr.ClientOpt{sr.URLs(urls...), sr.UserAgent("sqlstream"), sr.HTTPClient(&http.Client{Timeout: 10 * time.Second, Transport: transport})}
	auth, err := credentials(o)
	if err != nil {
		return nil, err
	}
	c := &Client{where: strings.Join(urls, ","), timeout: time.Duration(o.Micros("schema_registry_timeout")) * time.Microsecond, byID: map[int]known{}}
	c.sr, err = sr.NewClient(append(opts, auth...)...)
	return c, err
}

// addresses checks the addresses. Names and passwords within them would be shown in
// messages: they are refused.
func addresses(o option.Decoded) ([]string, error) {
	var urls []string
	for text := range strings.SplitSeq(o.Text("schema_registry"), ",") {
		text = strings.TrimSuffix(strings.TrimSpace(text), "/")
		if text == "" {
			continue
		}
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		u, err := url.Parse(text)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			return nil, bad(o, "schema_registry", "the schema registry's address is none of the form http://host:port")
		case u.User != nil:
			return nil, bad(o, "schema_registry", "user and password do not belong into the schema registry's address; use schema_registry_user and schema_registry_password")
		}
		urls = append(urls, text)
	}
	if len(urls) == 0 {
		for _, name := range []string{"user", "password", "token", "ca", "certificate", "key"} {
			if o.Has("schema_registry_" + name) {
				return nil, bad(o, "schema_registry_"+name, "schema_registry_"+name+" is given, but no schema_registry")
			}
		}
	}
	return urls, nil
}

func bad(o option.Decoded, name, message string) error {
	return diag.NewError(nil, diag.Errorf(diag.BadOptionValue, o.Span(name), "%s", message))
}

func credentials(o option.Decoded) ([]sr.ClientOpt, error) {
	user, token := o.Text("schema_registry_user"), o.Text("schema_registry_token")
	switch {
	case user != "" && token != "":
		return nil, bad(o, "schema_registry_token", "give the schema registry a user and password or a token, not both")
	case user != "":
		return []sr.ClientOpt{sr.BasicAuth(user, o.Text("schema_registry_password"))}, nil
	case o.Has("schema_registry_password"):
		return nil, bad(o, "schema_registry_password", "schema_registry_password needs schema_registry_user")
	case token != "":
		return []sr.ClientOpt{sr.BearerToken(token)}, nil
	}
	return nil, nil
}

func tlsConfig(o option.Decoded) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if pem := o.Text("schema_registry_ca"); pem != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM([]byte(pem)) {
			return nil, bad(o, "schema_registry_ca", "schema_registry_ca holds no certificate in PEM form")
		}
		c.RootCAs = pool
	}
	cert, key := o.Text("schema_registry_certificate"), o.Text("schema_registry_key")
	if cert == "" && key == "" {
		return c, nil
	}
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return nil, bad(o, "schema_registry_certificate", "schema_registry_certificate and schema_registry_key are no pair in PEM form")
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// Subject is the subject of messages: that of the option, else the one of their topic.
func Subject(o option.Decoded, topic string) (string, error) {
	if s := o.Text("schema_subject"); s != "" {
		return s, nil
	}
	if topic == "" {
		return "", errors.New("the schema registry needs a subject; set schema_subject")
	}
	return topic, nil
}

// String names the registry in messages.
func (c *Client) String() string { return "schema registry " + c.where }

func (c *Client) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", c, err)
}
