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
	"strings"
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
