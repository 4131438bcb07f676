package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// certificate makes one for this machine that vouches for itself, as PEM.
func certificate(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	from := time.Unix(1700000000, 0)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotBefore: from, NotAfter: from.AddDate(100, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

func TestEncrypted(t *testing.T) {
	cert, key := certificate(t)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	// The brokers know their clients by the same certificate.
	_, brokers := cluster(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven}))
	stranger, _ := certificate(t)
	dir := t.TempDir()
	ca, private, other, foreign := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "other.pem"), filepath.Join(dir, "foreign.pem")
	for path, text := range map[string][]byte{ca: cert, private: key, other: []byte("no certificate"), foreign: stranger} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, opts := range [][]string{{"ssl_ca", ca}, {"kafka.ssl.ca.location", ca, "security_protocol", "SSL", "ssl_certificate", ca, "ssl_key", private}, {"ssl_verify", "false"}} {
		if err := dialTest(t, append(opts, "brokers", brokers)...); err != nil {
			t.Errorf("%v: %v", opts, err)
		}
	}
	wantError(t, dialTest(t, "brokers", brokers, "security_protocol", "SSL"), "no encrypted connection to the brokers "+brokers, "x509: ", "ssl_ca names the file")
	wantError(t, dialTest(t, "brokers", brokers, "ssl_ca", foreign), "no encrypted connection to the brokers "+brokers, "x509: ", "ssl_ca names the file")
	wantError(t, dialTest(t, "brokers", brokers, "ssl_ca", foreign, "sasl_mechanism", "PLAIN", "username", "u", "password", "s3cret"), "x509: ")
	wantError(t, dialTest(t, "brokers", brokers, "connect_timeout", "300 ms"), "brokers "+brokers)
	_, err = decodeTest(t, "brokers", brokers, "ssl_ca", other)
	wantError(t, err, "ssl_ca: the file has no certificate in PEM")
	_, err = decodeTest(t, "brokers", brokers, "ssl_certificate", ca, "ssl_key", other)
	wantError(t, err, "ssl_certificate: ")
}
