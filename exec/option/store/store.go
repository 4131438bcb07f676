// Package store owns the options with which a source or sink reaches an object store of
// its own. They go before the settings of the session and the AWS_* variables. It knows
// nothing of files; storage/vfs gets the values under the names of the settings.
package store

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/option"
)

// Options are s3.endpoint and its like.
func Options() []option.Spec {
	return []option.Spec{
		{Name: "s3.endpoint", Type: option.Text, Doc: "For s3:// paths: the address of the store, https://host:port. By default SET s3_endpoint, AWS_ENDPOINT_URL, else Amazon's."},
		{Name: "s3.region", Type: option.Text, Doc: "For s3:// paths: the region of the bucket."},
		{Name: "s3.path_style", Type: option.Enum, Values: []string{"true", "false"}, Doc: "For s3:// paths: whether the bucket stands in the path of addresses, not in the host name; by default as the endpoint suggests."},
		{Name: "s3.access_key", Type: option.Secret, Doc: "For s3:// paths: the access key. By default AWS_ACCESS_KEY_ID, ~/.aws/credentials or the role of the machine."},
		{Name: "s3.secret_key", Type: option.Secret, Doc: "For s3:// paths: the secret that belongs to the access key."},
		{Name: "s3.session_token", Type: option.Secret, Doc: "For s3:// paths: the session token of a temporary access key."},
		{Name: "s3.anonymous", Type: option.Enum, Values: []string{"true", "false"}, Doc: "For s3:// paths: whether to ask without credentials."},
	}
}

// Find gives what is set, by the names of the settings.
func Find(values []option.Value) map[string]string {
	out := map[string]string{}
	for _, s := range Options() {
		if v, ok := option.Find(values, s.Name); ok {
			out[strings.ReplaceAll(s.Name, ".", "_")] = v.Text
		}
	}
	return out
}
