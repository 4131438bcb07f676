package kafka

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// spelled are the names that other systems give a client setting: its own, that of Spark
// and that of Flink.
func spelled(name string) []string {
	return []string{name, "kafka." + name, "properties." + name}
}

// ClientOptions describe what source and sink need to talk to brokers. They are also known
// by the names that Kafka's clients have for them, with the prefixes of Spark and Flink.
func clientOptions() []option.Spec {
	return []option.Spec{
		{Name: "brokers", Aliases: append([]string{"bootstrap_servers"}, spelled("bootstrap.servers")...), Type: option.Text, Required: true,
			Doc: "Brokers to begin with, as host:port, separated by commas; the others are learnt from them."},
		{Name: "client_id", Aliases: spelled("client.id"), Type: option.Text, Default: "sqlstream",
			Doc: "How the client calls itself in the logs and quotas of the brokers."},
		{Name: "security_protocol", Aliases: spelled("security.protocol"), Type: option.Enum,
			Values: []string{"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"},
			Doc:    "Whether connections are encrypted, and whether the client says who it is. By default what the other options call for: SSL with an ssl_ option, SASL with a sasl_mechanism."},
		{Name: "sasl_mechanism", Aliases: spelled("sasl.mechanism"), Type: option.Enum,
			Values: []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"},
			Doc:    "How the client says who it is. PLAIN and SCRAM need username and password, OAUTHBEARER a token or where to get one."},
		{Name: "username", Aliases: []string{"sasl.username", "kafka.sasl.username"}, Type: option.Text, Doc: "For PLAIN and SCRAM."},
		{Name: "password", Aliases: []string{"sasl.password", "kafka.sasl.password"}, Type: option.Secret, Doc: "For PLAIN and SCRAM."},
		{Name: "sasl_jaas_config", Aliases: spelled("sasl.jaas.config"), Type: option.Secret,
			Doc: "Username and password as Kafka's Java clients take them, in a login module line."},
		{Name: "oauth_token", Type: option.Secret, Doc: "For OAUTHBEARER: a token that is valid already."},
		{Name: "oauth_token_endpoint", Aliases: spelled("sasl.oauthbearer.token.endpoint.url"), Type: option.Text,
			Doc: "For OAUTHBEARER: the address (https://…) that gives tokens for oauth_client_id and oauth_client_secret."},
		{Name: "oauth_client_id", Type: option.Text, Doc: "Who asks for a token."},
		{Name: "oauth_client_secret", Type: option.Secret, Doc: "The secret of oauth_client_id."},
		{Name: "oauth_scope", Type: option.Text, Doc: "What the token is asked for."},
		{Name: "ssl_ca", Aliases: append([]string{"ssl_ca_location"}, spelled("ssl.ca.location")...), Type: option.Text,
			Doc: "File with the certificates (PEM) that brokers are checked against; by default those of the system."},
		{Name: "ssl_certificate", Aliases: append([]string{"ssl_certificate_location"}, spelled("ssl.certificate.location")...), Type: option.Text,
			Doc: "File with the client's certificate (PEM), for brokers that ask for one."},
		{Name: "ssl_key", Aliases: append([]string{"ssl_key_location"}, spelled("ssl.key.location")...), Type: option.Text,
			Doc: "File with the key (PEM, not encrypted) of ssl_certificate."},
		{Name: "ssl_verify", Aliases: spelled("enable.ssl.certificate.verification"), Type: option.Bool, Default: "true",
			Doc: "Check the certificates of brokers. Without it anyone can pass for a broker."},
		{Name: "connect_timeout", Type: option.Duration, Min: 1, Default: "10 seconds",
			Doc: "How long the brokers may take to answer at the start, before they count as not reachable."},
		{Name: "retry_timeout", Type: option.Duration, Min: 1, Default: "1 minute",
			Doc: "How long a request is repeated while brokers do not answer, before the query fails."},
		{Name: "socket_connection_setup_timeout_ms", Aliases: spelled("socket.connection.setup.timeout.ms"), Type: option.Int, Min: 1, Max: 3_600_000, Default: "10000",
			Doc: "How long one connection may take to come about."},
		{Name: "connections_max_idle_ms", Aliases: spelled("connections.max.idle.ms"), Type: option.Int, Min: 1000, Max: 86_400_000, Default: "540000",
			Doc: "Connections that have not been used for so long are closed."},
		{Name: "retry_backoff_ms", Aliases: spelled("retry.backoff.ms"), Type: option.Int, Min: 1, Max: 3_600_000, Default: "100",
			Doc: "How long to wait before a request is repeated; twice as long each time, up to retry_backoff_max_ms."},
		{Name: "retry_backoff_max_ms", Aliases: spelled("retry.backoff.max.ms"), Type: option.Int, Min: 1, Max: 3_600_000, Default: "1000",
			Doc: "The longest wait before a request is repeated."},
	}
}

// surroundings are what a source or sink knows besides its options.
type surroundings struct {
	name  string // 'source "clicks"', for messages
	dir   string // what relative paths are relative to
	fs    vfs.FS
	clock clock.Clock
}

// settings are the decoded client options. Equal settings make equal clients: they can be
// compared, so that sources share one. They hold secrets, so nothing prints them.
type settings struct {
	brokers  string // host:port, separated by commas
	clientID string

	tls, verify bool
	ca          string // PEM, as are the two below
	cert, key   string

	mechanism          string
	user, password     string
	token, endpoint    string
	oauthID, oauthKey  string
	scope              string
	connect, retry     time.Duration
	dial, idle         time.Duration
	backoff, backoffUp time.Duration
}

// String keeps secrets out of messages that print settings by mistake.
func (s settings) String() string { return "brokers " + s.brokers }

// GoString does so for %#v.
func (s settings) GoString() string { return s.String() }

// decodeSettings reads the client options among the decoded ones, and checks that they fit
// together. All independent mistakes come at once, with their places.
func decodeSettings(d option.Decoded, at surroundings) (settings, error) {
	c := checker{d: d, at: at}
	s := settings{
		brokers: c.brokers(), clientID: d.Text("client_id"), verify: d.Bool("ssl_verify"),
		user: d.Text("username"), password: d.Text("password"), mechanism: d.Enum("sasl_mechanism"),
		token: d.Text("oauth_token"), endpoint: d.Text("oauth_token_endpoint"), oauthID: d.Text("oauth_client_id"),
		oauthKey: d.Text("oauth_client_secret"), scope: d.Text("oauth_scope"),
		connect: micros(d, "connect_timeout"), retry: micros(d, "retry_timeout"),
		dial: millis(d, "socket_connection_setup_timeout_ms"), idle: millis(d, "connections_max_idle_ms"),
		backoff: millis(d, "retry_backoff_ms"), backoffUp: millis(d, "retry_backoff_max_ms"),
	}
	c.protocol(&s)
	c.sasl(&s)
	c.tls(&s)
	if len(c.errs) > 0 {
		return settings{}, diag.NewError(nil, c.errs...)
	}
	return s, nil
}

func micros(d option.Decoded, name string) time.Duration {
	return time.Duration(d.Micros(name)) * time.Microsecond
}

func millis(d option.Decoded, name string) time.Duration {
	return time.Duration(d.Int(name)) * time.Millisecond
}

// checker gathers what is wrong with the options.
type checker struct {
	d    option.Decoded
	at   surroundings
	errs []*diag.Diagnostic
}

func (c *checker) errorf(code diag.Code, option, format string, args ...any) *diag.Diagnostic {
	d := diag.Errorf(code, c.d.Span(option), format, args...)
	c.errs = append(c.errs, d)
	return d
}

// brokers brings the list into one shape. A port that is missing is Kafka's.
func (c *checker) brokers() string {
	var out []string
	for _, b := range strings.Split(c.d.Text("brokers"), ",") {
		if b = strings.TrimSpace(b); b == "" {
			continue
		}
		host, port, err := net.SplitHostPort(b)
		if err != nil {
			host, port, err = net.SplitHostPort(b + ":9092")
		}
		if err != nil || host == "" || port == "" || strings.Contains(b, "/") {
			place := b[strings.LastIndexByte(b, '@')+1:] // before it may stand a password
			c.errorf(diag.BadOptionValue, "brokers", "%q is no broker", place).WithHint("a broker is written host:port; user and password are the options username and password")
			continue
		}
		out = append(out, net.JoinHostPort(host, port))
	}
	if len(out) == 0 && len(c.errs) == 0 {
		c.errorf(diag.BadOptionValue, "brokers", "no broker is named").WithHint("brokers = 'host:9092'")
	}
	return strings.Join(out, ",")
}

// sslOptions are those that only matter with encryption.
var sslOptions = [...]string{"ssl_ca", "ssl_certificate", "ssl_key", "ssl_verify"}

// protocol settles encryption and whether the client says who it is.
func (c *checker) protocol(s *settings) {
	given := slices.IndexFunc(sslOptions[:], c.d.Has)
	p := c.d.Enum("security_protocol")
	if p == "" {
		s.tls = given >= 0
		return
	}
	s.tls = strings.HasSuffix(p, "SSL")
	if given >= 0 && !s.tls {
		c.errorf(diag.OptionConflict, sslOptions[given], "%s has no effect: security_protocol = '%s' does not encrypt", sslOptions[given], p).
			WithHint("security_protocol = '%s'", strings.Replace(strings.Replace(p, "SASL_PLAINTEXT", "SASL_SSL", 1), "PLAINTEXT", "SSL", 1))
	}
	switch sasl := strings.HasPrefix(p, "SASL"); {
	case sasl && s.mechanism == "":
		c.errorf(diag.MissingOption, "security_protocol", "security_protocol = '%s' needs sasl_mechanism", p)
	case !sasl && s.mechanism != "":
		c.errorf(diag.OptionConflict, "sasl_mechanism", "sasl_mechanism has no effect: security_protocol = '%s' does not say who the client is", p).
			WithHint("leave security_protocol out, or set it to 'SASL_%s'", p)
	}
}

// sasl checks that the mechanism has what it needs, and that nothing is left over.
func (c *checker) sasl(s *settings) {
	if c.d.Set("sasl_jaas_config") {
		c.jaas(s)
	}
	oauth := s.mechanism == "OAUTHBEARER"
	for _, name := range []string{"username", "password", "sasl_jaas_config"} {
		c.leftOver(name, oauth || s.mechanism == "", "PLAIN or SCRAM")
	}
	for _, name := range []string{"oauth_token", "oauth_token_endpoint", "oauth_client_id", "oauth_client_secret", "oauth_scope"} {
		c.leftOver(name, !oauth, "OAUTHBEARER")
	}
	switch {
	case s.mechanism == "" || len(c.errs) > 0:
	case oauth && s.token == "" && s.endpoint == "":
		c.errorf(diag.MissingOption, "sasl_mechanism", "OAUTHBEARER needs oauth_token or oauth_token_endpoint")
	case oauth && s.token != "" && s.endpoint != "":
		c.errorf(diag.OptionConflict, "oauth_token", "oauth_token and oauth_token_endpoint exclude each other")
	case oauth && s.endpoint != "" && (s.oauthID == "" || s.oauthKey == ""):
		c.errorf(diag.MissingOption, "oauth_token_endpoint", "oauth_token_endpoint needs oauth_client_id and oauth_client_secret")
	case !oauth && (s.user == "" || s.password == ""):
		c.errorf(diag.MissingOption, "sasl_mechanism", "%s needs username and password", s.mechanism)
	}
}

func (c *checker) leftOver(name string, yes bool, mechanism string) {
	if yes && c.d.Has(name) {
		c.errorf(diag.OptionConflict, name, "%s has no effect without sasl_mechanism = '%s'", name, mechanism)
	}
}

// jaas takes username and password out of a login module line.
func (c *checker) jaas(s *settings) {
	if s.user != "" || s.password != "" {
		c.errorf(diag.OptionConflict, "sasl_jaas_config", "sasl_jaas_config and username or password exclude each other")
		return
	}
	text := c.d.Text("sasl_jaas_config")
	user, ok1 := jaasValue(text, "username")
	password, ok2 := jaasValue(text, "password")
	if !ok1 || !ok2 {
		c.errorf(diag.BadOptionValue, "sasl_jaas_config", `sasl_jaas_config (hidden) has no username="…" and password="…"`)
		return
	}
	s.user, s.password = user, password
}

// jaasValue finds name="value" or name='value'; a backslash takes the next character as it is.
func jaasValue(text, name string) (string, bool) {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return "", false
		}
		at += i
		rest := strings.TrimLeft(text[at+len(name):], " \t")
		if at > 0 && !strings.ContainsRune(" \t\n", rune(text[at-1])) || !strings.HasPrefix(rest, "=") {
			continue
		}
		if rest = strings.TrimLeft(rest[1:], " \t"); rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			return quoted(rest[1:], rest[0])
		}
	}
}

func quoted(text string, end byte) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == end:
			return b.String(), true
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return "", false
}

// tls reads the certificate files.
func (c *checker) tls(s *settings) {
	s.ca, s.cert, s.key = c.file("ssl_ca"), c.file("ssl_certificate"), c.file("ssl_key")
	if c.d.Has("ssl_certificate") != c.d.Has("ssl_key") {
		name := "ssl_certificate"
		if !c.d.Has(name) {
			name = "ssl_key"
		}
		c.errorf(diag.MissingOption, name, "ssl_certificate and ssl_key are given together")
	}
	if s.tls && len(c.errs) == 0 {
		if _, err := s.tlsConfig(); err != nil {
			c.errorf(diag.BadOptionValue, err.option, "%s: %s", err.option, err.reason)
		}
	}
}

// file reads a small file that an option names; "" if it is not given or cannot be read.
func (c *checker) file(name string) string {
	path := c.d.Text(name)
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.at.dir, path)
	}
	text, err := readFile(c.at.fs, path)
	if err != nil {
		c.errorf(diag.BadOptionValue, name, "%s: %s", name, err)
	}
	return text
}

func readFile(fs vfs.FS, path string) (string, error) {
	f, err := fs.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is larger than 1 MiB, which no certificate is", path)
	}
	return string(text), err
}
