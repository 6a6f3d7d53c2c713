package smb

import (
	"errors"
	"fmt"
	"os"
)

// Mapping is a file mapped into memory, which this platform does not support.
type Mapping struct{}

// Map fails: this platform has no shared memory.
func Map(*os.File, int) (*Mapping, error) {
	return nil, fmt.Errorf("smb: map shared memory: %w", errors.ErrUnsupported)
}

func (m *Mapping) Bytes() []byte { return nil }

func (m *Mapping) Close() error { return nil }
