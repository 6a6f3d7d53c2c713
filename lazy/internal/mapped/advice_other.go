//go:build !linux && !darwin

package mapped

// populate does nothing: pages are loaded when they are touched.
func populate([]byte) error { return errNotMapped }

// scattered does nothing.
func scattered([]byte, bool) {}

// leave does nothing.
func leave([]byte) error { return nil }
