package source

import (
	"fmt"
	"strings"
)

// Named puts the name of a source before an error that does not begin with it: sources
// name themselves, those of embedding programs perhaps not.
func Named(name string, err error) error {
	prefix := fmt.Sprintf("source %q: ", name)
	if err == nil || strings.HasPrefix(err.Error(), prefix) {
		return err
	}
	return fmt.Errorf("%s%w", prefix, err)
}
