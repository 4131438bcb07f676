package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// tlsError says which option does not give what TLS needs.
type tlsError struct{ option, reason string }

// tlsConfig is what connections are encrypted with.
func (s settings) tlsConfig() (*tls.Config, *tlsError) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: !s.verify}
	if s.ca != "" {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(s.ca)) {
			return nil, &tlsError{"ssl_ca", "the file has no certificate in PEM"}
		}
	}
	if s.cert != "" {
		pair, err := tls.X509KeyPair([]byte(s.cert), []byte(s.key))
		if err != nil {
			return nil, &tlsError{"ssl_certificate", err.Error()}
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// saslMechanism is how the client says who it is; nil = not at all.
func (s settings) saslMechanism(clk clock.Clock) sasl.Mechanism {
	switch s.mechanism {
	case "PLAIN":
		return plain.Auth{User: s.user, Pass: s.password}.AsMechanism()
	case "SCRAM-SHA-256":
		return scram.Auth{User: s.user, Pass: s.password}.AsSha256Mechanism()
	case "SCRAM-SHA-512":
		return scram.Auth{User: s.user, Pass: s.password}.AsSha512Mechanism()
	case "OAUTHBEARER":
		if s.token != "" {
			return oauth.Auth{Token: s.token}.AsMechanism()
		}
		t := &tokens{set: s, clock: clk, client: &http.Client{Timeout: s.connect}}
		return oauth.Oauth(t.auth)
	}
	return nil
}

// tokens asks an endpoint for tokens (RFC 6749, client credentials) and keeps each until
// shortly before it expires.
type tokens struct {
	set    settings
	clock  clock.Clock
	client *http.Client

	mu    sync.Mutex
	token string
	until time.Time
}

func (t *tokens) auth(ctx context.Context) (oauth.Auth, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	if t.token == "" || !now.Before(t.until) {
		token, life, err := t.fetch(ctx)
		if err != nil {
			return oauth.Auth{}, &tokenError{t.set.endpoint, err}
		}
		t.token, t.until = token, now.Add(life*8/10)
	}
	return oauth.Auth{Token: t.token}, nil
}

// tokenError says that there is no token to be had.
type tokenError struct {
	endpoint string
	err      error
}

func (e *tokenError) Error() string {
	return fmt.Sprintf("oauth_token_endpoint %s gives no token: %s", withoutUser(e.endpoint), e.err)
}

func (e *tokenError) Unwrap() error { return e.err }

// withoutUser is an address without what may be secret in it.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(hidden)"
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}

func (t *tokens) fetch(ctx context.Context) (token string, life time.Duration, err error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if t.set.scope != "" {
		form.Set("scope", t.set.scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.set.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, fmt.Errorf("it is no address")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(url.QueryEscape(t.set.oauthID), url.QueryEscape(t.set.oauthKey))
	resp, err := t.client.Do(req)
	if err != nil {
		return "", 0, plainHTTP(err)
	}
	defer resp.Body.Close()
	return readToken(resp)
}

// plainHTTP takes the address out of an error: it may hold a secret.
func plainHTTP(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}

func readToken(resp *http.Response) (string, time.Duration, error) {
	if resp.StatusCode != http.StatusOK {
		return "", 0, fmt.Errorf("it answers %s", resp.Status)
	}
	var answer struct {
		Token   string  `json:"access_token"`
		Seconds float64 `json:"expires_in"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer); err != nil || answer.Token == "" {
		return "", 0, fmt.Errorf("its answer has no access_token")
	}
	if answer.Seconds <= 0 {
		answer.Seconds = 60 // RFC 6749 leaves it out where it is agreed on elsewhere
	}
	return answer.Token, time.Duration(answer.Seconds * float64(time.Second)), nil
}
