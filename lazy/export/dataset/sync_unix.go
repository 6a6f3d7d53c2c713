//go:build unix

package dataset

import (
	"errors"
	"os"
)

// syncDir lets a rename in a directory reach the disk. Some file systems cannot do that.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return errors.Join(d.Close())
}
