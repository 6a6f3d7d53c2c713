package perfettotest

import "google.golang.org/protobuf/encoding/protowire"

// Clocks returns a packet with readings of the boot time, of the monotonic clock and of the wall clock
// at one moment, in ns, in the format of a trace file.
func Clocks(boot, monotonic, wall uint64) []byte {
	var snapshot []byte
	for _, c := range [...]struct{ clock, ns uint64 }{{6, boot}, {3, monotonic}, {1, wall}} {
		b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), c.clock)
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), c.ns)
		snapshot = protowire.AppendBytes(protowire.AppendTag(snapshot, 1, protowire.BytesType), b)
	}
	packet := protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), snapshot)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), packet)
}
