package sharedtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/perfetto/messages"
)

func PartsOf(t testing.TB, packets []*messages.TracePacket) (parts []calls.Part) {
	t.Helper()
	for _, p := range packets {
		if p.GetTracexCalls() == nil {
			continue
		}
		part, err := calls.Decode(p.GetTracexCalls())
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	return parts
}

// Convert makes a trace from packets, and returns the path of its data file.
func Convert(t testing.TB, packets []*messages.TracePacket) (path string, result *perfetto.Result) {
	t.Helper()
	var trace []byte
	for _, p := range packets {
		b, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		trace = protowire.AppendBytes(protowire.AppendTag(trace, 1, protowire.BytesType), b)
	}
	c := perfetto.New(perfetto.Options{Memory: 64 << 10, BlockSize: 16 << 10, TempDir: t.TempDir()})
	defer c.Close()
	if err := c.Read(t.Context(), bytes.NewReader(trace)); err != nil {
		t.Fatal(err)
	}
	var data, index, times bytes.Buffer
	result, err := c.Write(t.Context(), tracefile.Files{Data: &data, Index: &index, Times: &times})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "trace.bin")
	for suffix, b := range map[string]*bytes.Buffer{"": &data, format.IndexSuffix: &index, format.TimesSuffix: &times} {
		if err := os.WriteFile(path+suffix, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path, result
}

// File makes a data file from complete parts: a block for each.
func File(t testing.TB, parts []calls.Part) string {
	t.Helper()
	data := format.AppendDataHeader(nil, format.Version(parts[0].Format))
	next := map[int32]uint64{}
	names := map[int32]string{}
	block := func(thread int32, objects ...[]byte) {
		data = format.AppendBlockHead(data, thread)
		for _, o := range objects {
			data = append(data, o...)
		}
		data = append(data, byte(format.KindBlockEnd))
	}
	for _, p := range parts {
		if !p.HasThread {
			block(0, p.References)
			continue
		}
		if p.Number != next[p.Thread] {
			t.Errorf("part %d of thread %d follows part %d", p.Number, p.Thread, int64(next[p.Thread])-1)
		}
		next[p.Thread]++
		names[p.Thread] = p.Name
		block(p.Thread, p.References, p.Objects)
	}
	for thread, name := range names {
		o, err := (&format.ThreadName{Thread: thread, Name: name}).Append(nil, format.Version(parts[0].Format))
		if err != nil {
			t.Fatal(err)
		}
		block(thread, o)
	}
	path := filepath.Join(t.TempDir(), "trace.bin")
	if err := os.WriteFile(path, append(data, byte(format.KindEOF)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
