package format

// The two paths of Size, for tests that compare them.
var FastSize = fastSize

func SlowSize(b []byte, open Class) (int, error) {
	c := cursor{b: b}
	c.skipAny(open)
	return c.i, c.error()
}

// Descriptor is what stands behind the times of a packed trace.
var Descriptor = descriptor
