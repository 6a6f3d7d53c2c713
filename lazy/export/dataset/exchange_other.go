//go:build !linux

package dataset

import "errors"

// exchange cannot let two directories change places at once.
func exchange(string, string) error { return errors.ErrUnsupported }
