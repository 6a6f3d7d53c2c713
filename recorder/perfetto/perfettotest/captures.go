// Package perfettotest has captured traffic of the real service, its command and its
// C++ library, as seen by a proxy on both of its sockets. It is for tests.
package perfettotest

import (
	"bufio"
	"compress/gzip"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
)

// A capture is a file of lines, each a JSON object.
//
//go:embed captures/*.jsonl.gz
var captures embed.FS

const ending = ".jsonl.gz"

// Record is an event on a socket. Records are in the order in which the proxy saw
// them.
type Record struct {
	Event   string  `json:"ev"` // connect, frame, eof, send_err, smb_at_close
	Conn    int     `json:"conn"`
	Socket  string  `json:"sock"` // producer or consumer
	Dir     string  `json:"dir"`  // c2s: from the client; s2c: from the service
	Seconds float64 `json:"t"`
	Method  string  `json:"method"`

	Hex   string `json:"hex"`
	Frame []byte `json:"-"`   // Hex decoded: a whole frame, including its length
	Files []File `json:"fds"` // sent with it

	// Pages of the shared memory that a CommitData names, before the service received
	// it, or all pages when the connection ended.
	SMB   json.RawMessage `json:"smb"`
	Pages json.RawMessage `json:"pages"`
}

// ToService reports whether the client sent it.
func (r *Record) ToService() bool { return r.Dir == "c2s" }

// File is a file sent with a frame.
type File struct {
	Link  string `json:"link"`
	Size  int64  `json:"size"`
	Seals int    `json:"seals"`
}

type Capture struct {
	Name    string
	Records []Record
}

func All() (all []Capture, err error) {
	entries, err := captures.ReadDir("captures")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ending)
		records, err := Load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, Capture{name, records})
	}
	return all, nil
}

// Load returns the records of one capture by its name, such as 01_basic.
func Load(name string) (records []Record, err error) {
	f, err := captures.Open("captures/" + name + ending)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for lines := json.NewDecoder(bufio.NewReader(unzipped)); ; {
		var r Record
		switch err := lines.Decode(&r); {
		case err == io.EOF:
			return records, nil
		case err != nil:
			return nil, fmt.Errorf("capture %s, record %d: %w", name, len(records), err)
		}
		if r.Frame, err = hex.DecodeString(r.Hex); err != nil {
			return nil, fmt.Errorf("capture %s, record %d: %w", name, len(records), err)
		}
		if r.Event == "frame" && len(r.Frame) < 4 {
			return nil, fmt.Errorf("capture %s, record %d: a frame of %d bytes", name, len(records), len(r.Frame))
		}
		records = append(records, r)
	}
}

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
