package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func portText(p int32) string { return strconv.Itoa(int(p)) }

// brokerError is an error of brokers with what it means and the way out.
type brokerError struct {
	text string
	err  error
}

func (e *brokerError) Error() string { return e.text }

func (e *brokerError) Unwrap() error { return e.err }

// explain turns an error of the library into one that says what, where, why, and what to
// do. Secrets are in none of them.
func (c *client) explain(err error) error {
	var done *brokerError
	if err == nil || errors.As(err, &done) {
		return err
	}
	if text := c.refused(err); text != "" {
		return &brokerError{text, err}
	}
	if !unreachable(err) {
		return err
	}
	addr, cause := c.last.get()
	if cause == nil || errors.Is(err, context.Canceled) {
		cause = err
	}
	if text := c.refused(cause); text != "" {
		return &brokerError{text, err}
	}
	if addr == "" {
		addr = c.set.brokers
	}
	return &brokerError{fmt.Sprintf("no answer from the brokers %s: %s; is one of them running there, and is the address right?", c.set.brokers, at(addr, cause)), err}
}

// at puts the address before an error that does not have it.
func at(addr string, err error) string {
	text := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		text = "it took too long"
	}
	if strings.Contains(text, addr) {
		return text
	}
	return addr + ": " + text
}

// refused says that brokers answer, but want nothing to do with the client; "" if it is
// something else.
func (c *client) refused(err error) string {
	var token *tokenError
	var eof *kgo.ErrFirstReadEOF
	who := "the client, which does not say who it is,"
	if c.set.mechanism != "" {
		who = "user " + strconv.Quote(c.set.user)
		if c.set.mechanism == "OAUTHBEARER" {
			who = "the owner of the token"
		}
	}
	switch {
	case errors.As(err, &token):
		return token.Error()
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return fmt.Sprintf("the brokers %s do not accept %s (%s): check the credentials, and that they are those of this mechanism", c.set.brokers, who, c.set.mechanism)
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return fmt.Sprintf("the brokers %s do not take sasl_mechanism = '%s'", c.set.brokers, c.set.mechanism)
	case errors.Is(err, kerr.IllegalSaslState):
		return fmt.Sprintf("the brokers %s do not ask who the client is: leave sasl_mechanism out, or name their other port", c.set.brokers)
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed), errors.Is(err, kerr.ClusterAuthorizationFailed),
		errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return fmt.Sprintf("%s may not do this: %s; its owner needs the permission", who, err)
	case c.set.mechanism != "" && errors.Is(err, io.EOF):
		return fmt.Sprintf("the brokers %s hang up on %s (%s): the credentials, sasl_mechanism or security_protocol are not theirs", c.set.brokers, who, c.set.mechanism)
	case errors.As(err, &eof):
		return fmt.Sprintf("the brokers %s hang up: security_protocol or sasl_mechanism is not theirs (%s)", c.set.brokers, eof)
	}
	return c.refusedTLS(err)
}

// refusedTLS is refused for what goes wrong before a first request.
func (c *client) refusedTLS(err error) string {
	text := err.Error()
	if !strings.Contains(text, "tls: ") && !strings.Contains(text, "x509: ") {
		return ""
	}
	hint := "ssl_ca names the file of the certificates to trust"
	if strings.Contains(text, "first record does not look like a TLS handshake") {
		hint = "these brokers do not encrypt: leave the ssl_ options out, or name their other port"
	}
	return fmt.Sprintf("no encrypted connection to the brokers %s: %s; %s", c.set.brokers, text, hint)
}

// unreachable reports an error that may go away when brokers come back.
func unreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) || kgo.IsRetryableBrokerErr(err)
}
