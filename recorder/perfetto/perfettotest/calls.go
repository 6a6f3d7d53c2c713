package perfettotest

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
)

// RecordedCalls returns the packets in which a recorder with an id would send the
// contents of a data file, in the format of a trace file: first all references, then
// each thread.
func RecordedCalls(data []byte, recorder uint64) (trace []byte, err error) {
	s := format.NewBytesScanner(data)
	parts := []*calls.Part{{Recorder: recorder}}
	threads := map[int32]*calls.Part{}
	for s.Next() {
		switch o := s.Object(); {
		case o.Kind == format.KindThreadName:
		case o.Kind.Reference():
			parts[0].References = append(parts[0].References, o.Bytes...)
		case o.Kind == format.KindTracePoint || o.Kind == format.KindFooter:
			if threads[o.Thread] == nil {
				threads[o.Thread] = &calls.Part{Recorder: recorder, HasThread: true, Thread: o.Thread, Name: "thread", Last: true}
			}
			threads[o.Thread].Objects = append(threads[o.Thread].Objects, o.Bytes...)
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(threads)) {
		parts = append(parts, threads[id])
	}
	for _, p := range parts {
		p.Format = int(s.Version())
		packet := protowire.AppendVarint(protowire.AppendTag(nil, 8, protowire.VarintType), 1000) // its timestamp
		packet = protowire.AppendBytes(protowire.AppendTag(packet, calls.Field, protowire.BytesType), p.Append(nil))
		trace = protowire.AppendBytes(protowire.AppendTag(trace, 1, protowire.BytesType), packet)
	}
	return trace, nil
}
