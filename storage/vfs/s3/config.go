package s3

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/storage/vfs/object"
)

// Names of the settings, as SET and the options of sources and sinks spell them (there
// with a point: s3.endpoint).
const (
	Endpoint     = "s3_endpoint"
	Region       = "s3_region"
	PathStyle    = "s3_path_style"
	AccessKey    = "s3_access_key"
	SecretKey    = "s3_secret_key"
	SessionToken = "s3_session_token"
	Anonymous    = "s3_anonymous"
)

// Config says where a store is and who asks.
type Config struct {
	Endpoint                           string // "" = Amazon's
	Region                             string // "" = found out
	PathStyle                          string // "true", "false"; "" = by the endpoint
	AccessKey, SecretKey, SessionToken string // none = as AWS programs find them
	Anonymous                          bool
	roles                              bool // ask the machine for a role
}

// Open makes the file system of the store that the settings and the AWS_* variables of the
// environment describe. It is a vfs.Opener; nothing is sent yet.
func Open(settings map[string]string) (vfs.FS, error) {
	cfg, err := configure(settings, os.Getenv)
	if err != nil {
		return nil, err
	}
	s, err := open(cfg)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return object.New(func(name string) (object.Bucket, error) { return &bucket{s, name}, nil }, object.Options{
		Nonce: hex.EncodeToString(nonce), Writer: fmt.Sprintf("process %d on host %q", os.Getpid(), host)}), nil
}

// configure puts settings before the environment. A key that is set leaves no part of
// another identity: neither its secret nor its session token comes from elsewhere.
func configure(set map[string]string, env func(string) string) (Config, error) {
	either := func(setting string, names ...string) string {
		v := set[setting]
		for _, n := range names {
			if v == "" {
				v = env(n)
			}
		}
		return v
	}
	c := Config{
		Endpoint:  either(Endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
		Region:    either(Region, "AWS_REGION", "AWS_DEFAULT_REGION"),
		PathStyle: strings.ToLower(set[PathStyle]),
		AccessKey: set[AccessKey], SecretKey: set[SecretKey], SessionToken: set[SessionToken],
		Anonymous: strings.EqualFold(set[Anonymous], "true"),
		roles:     env("AWS_EC2_METADATA_DISABLED") != "true",
	}
	if c.Region == "" && c.Endpoint != "" {
		c.Region = "us-east-1" // what stores other than Amazon's expect
	}
	switch {
	case (c.AccessKey == "") != (c.SecretKey == ""):
		return c, fmt.Errorf("%s and %s belong together: one of them is not set", AccessKey, SecretKey)
	case c.Anonymous && c.AccessKey != "":
		return c, fmt.Errorf("%s is set, and a key too: who asks anonymously has none", Anonymous)
	}
	_, err := c.url()
	return c, err
}

// url is the endpoint.
func (c Config) url() (*url.URL, error) {
	text := c.Endpoint
	if text == "" {
		return &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}, nil
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.User != nil {
		return nil, fmt.Errorf("%s: write the address of the store alone, such as https://s3.example.org:9000, without user, bucket or path", Endpoint)
	}
	return u, nil
}
