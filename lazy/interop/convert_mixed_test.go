package interop

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/perfettotest"
)

// The real reader of each version reads the conversion of a trace that recorders
// of both versions wrote: objects of one are copied, those of the other translated, and
// the ids of both are kept apart.
func TestReferenceReadsMixed(t *testing.T) { eachReference(t, testReadsMixed) }

func testReadsMixed(t *testing.T, r *reference) {
	for _, order := range [][]format.Version{{22, 27}, {27, 22}, {22}, {27}} {
		name := ""
		var trace []byte
		for i, v := range order {
			name += v.String() + " "
			data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 600, Seed: 3, Own: true, Options: formattest.Options{Version: v}})
			packets, err := perfettotest.RecordedCalls(data, uint64(i+1))
			if err != nil {
				t.Fatal(err)
			}
			trace = append(trace, packets...)
		}
		t.Run(name, func(t *testing.T) {
			sameAsReference(t, r, mixed(t, trace, r.release.version))
		})
	}
}

// mixed converts a trace from which nothing may be left out.
func mixed(t *testing.T, trace []byte, to format.Version) string {
	t.Helper()
	c := perfetto.New(perfetto.Options{FormatVersion: to, BlockSize: 4 << 10})
	defer c.Close()
	for len(trace) > 0 {
		_, _, tag := protowire.ConsumeTag(trace)
		packet, n := protowire.ConsumeBytes(trace[tag:])
		if err := c.Packet(packet); err != nil {
			t.Fatal(err)
		}
		trace = trace[tag+n:]
	}
	data := filepath.Join(t.TempDir(), "trace.bin")
	var files [3]*os.File
	for i, suffix := range []string{"", ".idx", ".tim"} {
		var err error
		if files[i], err = os.Create(data + suffix); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	result, err := c.Write(t.Context(), tracefile.Files{Data: files[0], Index: files[1], Times: files[2]})
	if err != nil || len(result.LeftOut) > 0 || result.Version != to {
		t.Fatalf("version %d, left out: %v, %v", result.Version, result.LeftOut, err)
	}
	return data
}
