package smb

import "fmt"

// Patch writes a late length into a payload, at an offset in it. It fails if data is
// not the four bytes of a length, or does not fit into the payload. The chunk is in a
// buffer of the service by then: see patch.go in packages service, for the request,
// and tracebuf, for the chunk in its buffer.
func Patch(payload []byte, offset uint32, data []byte) error {
	if len(data) != sizeBytes {
		return fmt.Errorf("%w: patch of %d bytes; a length has %d", ErrCorrupt, len(data), sizeBytes)
	}
	if uint64(offset)+sizeBytes > uint64(len(payload)) {
		return fmt.Errorf("%w: patch at byte %d of a payload of %d", ErrCorrupt, offset, len(payload))
	}
	copy(payload[offset:], data)
	return nil
}
