package service

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestMemorySize has sizes of memory from the config, the producer's wish, and the
// default, in this order of precedence, and invalid ones.
func TestMemorySize(t *testing.T) {
	const K = 1 << 10
	for _, c := range []struct {
		size, page, hintSize, hintPage uint32 // of the config in KiB, wished for in bytes
		wantSize, wantPage             int
	}{
		{0, 0, 0, 0, 256 * K, 4 * K},
		{0, 0, 512 * K, 8 * K, 512 * K, 8 * K},
		{1024, 32, 512 * K, 8 * K, 1024 * K, 32 * K},
		{1024, 0, 512 * K, 16 * K, 1024 * K, 16 * K},
		{0, 0, 512 * K, 12 * K, 256 * K, 4 * K},       // three pages of 4 KiB
		{0, 0, 512*K + 4096, 8 * K, 256 * K, 4 * K},   // not whole pages
		{0, 0, 4 * K, 8 * K, 256 * K, 4 * K},          // less than a page
		{0, 0, 512 * K, 5000, 256 * K, 4 * K},         // not of 4 KiB
		{64 << 10, 0, 0, 0, 32 << 20, 4 * K},          // the maximum
		{0, 64, 0, 0, 256 * K, 32 * K},                // the largest page
		{1<<32 - 1, 1<<32 - 1, 0, 0, 32 << 20, 32768}, // both
	} {
		m := &producerMemory{hint: memoryHint{c.hintSize, c.hintPage}}
		of := &messages.TraceConfig_ProducerConfig{ShmSizeKb: proto.Uint32(c.size), PageSizeKb: proto.Uint32(c.page)}
		if size, page := m.size(of, Limits{}.withDefaults().Memory); size != c.wantSize || page != c.wantPage {
			t.Errorf("%+v: %d bytes in pages of %d", c, size, page)
		}
		if size, page := m.size(of, 100_000); size > 100_000 || !goodMemory(size, page) {
			t.Errorf("%+v: %d bytes in pages of %d, though 100000 bytes are the limit", c, size, page)
		}
	}
}
