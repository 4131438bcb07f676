package kafka

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// here is what every test's client knows besides its options.
func here(t *testing.T) surroundings {
	return surroundings{name: `source "k"`, dir: t.TempDir(), fs: vfs.OS(), clock: clock.Real()}
}

func values(pairs ...string) []option.Value {
	var out []option.Value
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, option.Value{Name: pairs[i], Text: pairs[i+1]})
	}
	return out
}

// decodeTest decodes client options.
func decodeTest(t *testing.T, pairs ...string) (settings, error) {
	t.Helper()
	d, err := option.Open(clientOptions(), values(pairs...))
	if err != nil {
		return settings{}, err
	}
	return decodeSettings(d, here(t))
}

func cluster(t *testing.T, opts ...kfake.Opt) (*kfake.Cluster, string) {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, strings.Join(c.ListenAddrs(), ",")
}

func dialTest(t *testing.T, pairs ...string) error {
	t.Helper()
	s, err := decodeTest(t, pairs...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dial(context.Background(), s, here(t))
	if err == nil {
		c.Close()
	}
	return err
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("got %q, want %q in it", err, p)
		}
	}
}

func TestSpellings(t *testing.T) {
	for _, name := range []string{"brokers", "bootstrap_servers", "bootstrap.servers", "kafka.bootstrap.servers", "properties.bootstrap.servers"} {
		s, err := decodeTest(t, name, " a , b:1,[::1]:2 ", "kafka.client.id", "me", "properties.retry.backoff.ms", "7")
		if err != nil || s.brokers != "a:9092,b:1,[::1]:2" || s.clientID != "me" || s.backoff != 7*time.Millisecond {
			t.Errorf("%s: %v, brokers %q, %v %v", name, err, s.brokers, s.clientID, s.backoff)
		}
	}
}

func TestSettingsThatDoNotFit(t *testing.T) {
	for _, c := range []struct{ opts, want string }{
		{"brokers=http://a", `"http://a" is no broker`},
		{"brokers=u:pass@a:9092", `"a:9092" is no broker`},
		{"brokers=,", "no broker is named"},
		{"security_protocol=SASL_SSL", "needs sasl_mechanism"},
		{"security_protocol=SSL sasl_mechanism=PLAIN username=u password=p", "security_protocol = 'SSL' does not say who"},
		{"security_protocol=PLAINTEXT ssl_verify=false", "ssl_verify has no effect"},
		{"sasl_mechanism=PLAIN username=u", "PLAIN needs username and password"},
		{"username=u", "username has no effect without sasl_mechanism = 'PLAIN or SCRAM'"},
		{"sasl_mechanism=OAUTHBEARER", "OAUTHBEARER needs oauth_token or oauth_token_endpoint"},
		{"sasl_mechanism=OAUTHBEARER oauth_token=t username=u", "username has no effect"},
		{"sasl_mechanism=OAUTHBEARER oauth_token_endpoint=http://x", "needs oauth_client_id and oauth_client_secret"},
		{"sasl_mechanism=PLAIN sasl_jaas_config=secretpass", "(hidden) has no username"},
		{"ssl_ca=missing.pem", "ssl_ca: "},
		{"ssl_certificate=x.pem", "ssl_certificate and ssl_key are given together"},
	} {
		pairs := []string{"brokers", "a"}
		for _, o := range strings.Fields(c.opts) {
			name, value, _ := strings.Cut(o, "=")
			if name == "brokers" {
				pairs = pairs[2:]
			}
			pairs = append(pairs, name, value)
		}
		_, err := decodeTest(t, pairs...)
		wantError(t, err, c.want)
		if err != nil && strings.Contains(err.Error(), "secretpass") {
			t.Errorf("a secret is in %v", err)
		}
	}
}

func TestJAAS(t *testing.T) {
	s, err := decodeTest(t, "brokers", "a", "sasl.mechanism", "scram-sha-256", "kafka.sasl.jaas.config",
		`org.apache.kafka.common.security.scram.ScramLoginModule required myusername="no" username = "an\"a" password='p w';`)
	if err != nil || s.user != `an"a` || s.password != "p w" {
		t.Errorf("%v: user %q, password %q", err, s.user, s.password)
	}
}

func TestSettingsHideSecrets(t *testing.T) {
	s, err := decodeTest(t, "brokers", "a", "sasl_mechanism", "PLAIN", "username", "u", "password", "s3cret")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(f, s); strings.Contains(text, "s3cret") {
			t.Errorf("%s prints %s", f, text)
		}
	}
}

func TestCredentials(t *testing.T) {
	_, brokers := cluster(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "ana", "right-pass"), kfake.Superuser("SCRAM-SHA-256", "bo", "right-pass"),
		kfake.Superuser("SCRAM-SHA-512", "cy", "right-pass"))
	for user, mechanism := range map[string]string{"ana": "PLAIN", "bo": "SCRAM-SHA-256", "cy": "SCRAM-SHA-512"} {
		if err := dialTest(t, "brokers", brokers, "sasl_mechanism", mechanism, "username", user, "password", "right-pass"); err != nil {
			t.Errorf("%s: %v", mechanism, err)
		}
		err := dialTest(t, "brokers", brokers, "sasl_mechanism", mechanism, "username", user, "password", "wrong-pass")
		wantError(t, err, fmt.Sprintf("user %q (%s)", user, mechanism), "credentials", brokers)
		if err != nil && strings.Contains(err.Error(), "wrong-pass") {
			t.Errorf("a secret is in %v", err)
		}
	}
	wantError(t, dialTest(t, "brokers", brokers), "hang up", "security_protocol or sasl_mechanism")
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	silent := nobody
	wantError(t, dialTest(t, "brokers", silent, "connect_timeout", "100 ms"), "no answer from the brokers "+silent)
	l.Close()
	wantError(t, dialTest(t, "brokers", nobody), "no answer from the brokers "+nobody, "refused", "is the address right?")
}

func TestNotEncrypted(t *testing.T) {
	_, brokers := cluster(t)
	wantError(t, dialTest(t, "brokers", brokers, "security_protocol", "SSL", "connect_timeout", "300 ms"), brokers)
}

// A token is asked for once, and again shortly before it expires.
func TestTokens(t *testing.T) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		if asked++; id != "me" || secret != "s3cret" || r.FormValue("scope") != "read" || r.FormValue("grant_type") != "client_credentials" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"access_token":"t%d","expires_in":100}`, asked)
	}))
	defer srv.Close()
	clk := clock.NewFake(time.Unix(1000, 0))
	tk := tokens{set: settings{endpoint: srv.URL, oauthID: "me", oauthKey: "s3cret", scope: "read"}, clock: clk, client: srv.Client()}
	for _, want := range []string{"t1", "t1", "t2"} {
		if want == "t2" {
			clk.Advance(81 * time.Second)
		}
		if a, err := tk.auth(context.Background()); err != nil || a.Token != want {
			t.Errorf("%v %v, want %s", a.Token, err, want)
		}
	}
	bad := tokens{set: settings{endpoint: srv.URL + "/?key=s3cret", oauthID: "me", oauthKey: "s3cret2"}, clock: clk, client: srv.Client()}
	_, err := bad.auth(context.Background())
	wantError(t, err, "gives no token: it answers 401")
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a secret is in %v", err)
	}
	srv.Close()
	_, err = bad.auth(context.Background())
	wantError(t, err, "gives no token")
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a secret is in %v", err)
	}
}
