package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
)

// Role is what a request may do.
type Role uint8

// The roles, each of which may do what those before it may.
const (
	Nobody Role = iota
	Reader      // looks at queries, progress and metrics
	Owner       // runs SQL and controls queries
)

// SQLPolicy is what POST /v1/sql takes.
type SQLPolicy string

// The policies.
const (
	SQLAll  SQLPolicy = "all"
	SQLRead SQLPolicy = "read" // SELECT over finite relations, SHOW, DESCRIBE, EXPLAIN
	SQLOff  SQLPolicy = "off"
)

// Access says who may do what.
type Access struct {
	Tokens *Tokens  // nil, or empty: whoever reaches the server is its owner
	Hosts  []string // names, beside localhost and addresses, by which the server may be called
	SQL    SQLPolicy
	// OpenProbes lets /healthz and /readyz answer without a token, with the status alone.
	OpenProbes bool
	// Certificates makes the holder of a client certificate, which TLS has checked, Owner.
	Certificates bool
}

// MinToken is the length of the shortest token that is taken.
const MinToken = 16

// Tokens are secrets that stand for roles. They can be exchanged while requests are
// answered.
type Tokens struct{ now atomic.Pointer[[]token] }

// token keeps a digest, so that comparing tells nothing of lengths or beginnings.
type token struct {
	digest [sha256.Size]byte
	role   Role
}

// NewTokens returns tokens for owners and readers; see Set.
func NewTokens(owners, readers []string) (*Tokens, error) {
	t := &Tokens{}
	return t, t.Set(owners, readers)
}

// Set exchanges the tokens. One that is shorter than MinToken, or holds what no header
// can carry, is refused, and the old ones stay.
func (t *Tokens) Set(owners, readers []string) error {
	var list []token
	for role, texts := range map[Role][]string{Owner: owners, Reader: readers} {
		for _, text := range texts {
			if err := checkToken(text); err != nil {
				return err
			}
			list = append(list, token{sha256.Sum256([]byte(text)), role})
		}
	}
	t.now.Store(&list)
	return nil
}

func checkToken(text string) error {
	if len(text) < MinToken {
		return fmt.Errorf("a token needs at least %d characters", MinToken)
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return fmt.Errorf("a token is made of letters, digits and punctuation, without blanks")
		}
	}
	return nil
}

// Any reports that there are tokens.
func (t *Tokens) Any() bool { return t != nil && t.now.Load() != nil && len(*t.now.Load()) > 0 }

// role is what the holder of a token may do. Every token is compared, to the end.
func (t *Tokens) role(text string) Role {
	digest := sha256.Sum256([]byte(text))
	found := Nobody
	for _, k := range *t.now.Load() {
		if subtle.ConstantTimeCompare(k.digest[:], digest[:]) == 1 {
			found = max(found, k.role)
		}
	}
	return found
}

// CheckAddress refuses an address that others can reach while nobody is kept out.
func CheckAddress(addr string, protected bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is no address: write host:port, such as 127.0.0.1:8080", addr)
	}
	if protected || loopback(host) {
		return nil
	}
	return fmt.Errorf("%s can be reached from other machines, and whoever reaches it runs SQL with the rights of this program: "+
		"give a token with --token-file, or client certificates with --tls-client-ca, or listen on 127.0.0.1", addr)
}

// Loopback reports that only this machine reaches an address, host:port.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && loopback(host)
}

// loopback reports an address that only this machine reaches.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}
