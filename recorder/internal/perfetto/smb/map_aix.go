package smb

import (
	"errors"
	"fmt"
	"os"
)

// Mapping is a file's bytes in memory, which this platform does not share.
type Mapping struct{}

// Map fails: no memory is shared on this platform.
func Map(*os.File, int) (*Mapping, error) {
	return nil, fmt.Errorf("smb: map shared memory: %w", errors.ErrUnsupported)
}

// Bytes returns nothing.
func (m *Mapping) Bytes() []byte { return nil }

// Close does nothing.
func (m *Mapping) Close() error { return nil }
