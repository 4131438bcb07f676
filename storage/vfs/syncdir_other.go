//go:build !windows

package vfs

import (
	"errors"
	"os"
)

func syncDirOS(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
