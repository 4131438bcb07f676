package engine

import (
	"fmt"
	"strings"
	"sync"

	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/storage/vfs/s3"
	"github.com/sqlstream/sqlstream/storage/vfs/web"
)

// withStores puts the stores that paths may name beside the files of the machine. A store
// is asked for nothing before a path names it.
func withStores(local vfs.FS) *vfs.Router {
	if r, ok := local.(*vfs.Router); ok {
		return r
	}
	return vfs.NewRouter(local, map[string]vfs.Opener{"s3": s3.Open, "s3a": s3.Open, "http": web.Open, "https": web.Open}, nil)
}

// stores are the file systems of an engine, by what SET says of stores: the same settings
// give the same one, so that two queries on one checkpoint find each other.
type stores struct {
	base vfs.FS
	mu   sync.Mutex
	set  map[string]vfs.FS
}

func newStores(base vfs.FS) *stores { return &stores{base: base, set: map[string]vfs.FS{}} }

func (s *stores) with(settings map[string]string) vfs.FS {
	if len(settings) == 0 {
		return s.base
	}
	key := fmt.Sprintf("%q", settings)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.set[key] == nil {
		s.set[key] = vfs.With(s.base, settings)
	}
	return s.set[key]
}

// files is the file system with what SET says of stores.
func (e *Engine) files() vfs.FS { return e.stores.with(e.set.get().store) }

// storeDefs are the settings of object stores.
func storeDefs() map[string]settingDef {
	defs := map[string]settingDef{}
	for name, doc := range map[string]string{
		s3.Endpoint:     "Address of the S3 store: https://host:port. AWS_ENDPOINT_URL by default, else Amazon's.",
		s3.Region:       "Region of the S3 store. AWS_REGION by default; Amazon's is found out.",
		s3.PathStyle:    "Whether buckets stand in the path of addresses, not in the host name: true or false; by default as the endpoint suggests.",
		s3.AccessKey:    "Access key of the S3 store. By default AWS_ACCESS_KEY_ID, ~/.aws/credentials or the role of the machine.",
		s3.SecretKey:    "The secret that belongs to s3_access_key.",
		s3.SessionToken: "The session token that belongs to s3_access_key, if it is a temporary one.",
		s3.Anonymous:    "Whether the S3 store is asked without credentials: true or false.",
	} {
		defs[name] = storeDef(name, doc)
	}
	return defs
}

func storeDef(name, doc string) settingDef {
	secret := name == s3.AccessKey || name == s3.SecretKey || name == s3.SessionToken
	flag := name == s3.PathStyle || name == s3.Anonymous
	return settingDef{doc,
		func(s *settings) string {
			if secret && s.store[name] != "" {
				return "***"
			}
			return s.store[name]
		},
		func(s *settings, v string) error {
			if v = strings.TrimSpace(v); flag && v != "" && !strings.EqualFold(v, "true") && !strings.EqualFold(v, "false") {
				return fmt.Errorf("%q is neither 'true' nor 'false'", v)
			}
			next := map[string]string{}
			for k, old := range s.store {
				next[k] = old
			}
			if next[name] = v; v == "" {
				delete(next, name)
			}
			s.store = next
			return nil
		}}
}

// path makes a path of a statement absolute; one of a store gets the form of vfs.Scheme.
func (e *Engine) path(p string) (string, error) { return vfs.Abs(e.opt.Dir, p) }
