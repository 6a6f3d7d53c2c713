package recorder

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/perfetto/calls"
	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// someShared is a recorder for a service, with a live file, and a thread of it. The
// service is not there, so that nothing is sent but what a test sends.
func someShared(t *testing.T) (r *Recorder, s *shared, thread *Thread, live string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(ipc.ProducerVariable, filepath.Join(dir, "no service"))
	t.Setenv(LiveFolder, dir)
	r, err := Start(Config{Strategy: SharedMemory, NoTimes: true, FlushInterval: -1, OnError: func(error) {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop() }) // nobody heard of it
	files, err := filepath.Glob(filepath.Join(dir, "*"+LiveSuffix))
	if err != nil || len(files) != 1 {
		t.Fatalf("live files: %q, %v", files, err)
	}
	return r, r.sink.(*shared), r.Thread("worker"), files[0]
}

// finished returns what FinishShared makes of a copy of a live file in which change,
// if it is not nil, changed something.
func finished(t *testing.T, path string, change func(file []byte)) (parts []calls.Part) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(file)
	}
	copied := filepath.Join(t.TempDir(), "copy"+LiveSuffix)
	if err := os.WriteFile(copied, file, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if done, err := FinishShared(copied, &out); err != nil || !done.Done || done.Short > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	var trace messages.Trace
	if err := proto.Unmarshal(out.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	for _, p := range trace.Packet {
		part, err := calls.Decode(p.GetTracexCalls())
		if err != nil {
			t.Fatal(err)
		}
		if part.HasThread {
			parts = append(parts, part)
		}
	}
	return parts
}

// joined returns what a reader makes of parts: the first of each number counts, and
// after one that is missing nothing does.
func joined(parts ...calls.Part) (objects []byte) {
	next := uint64(0)
	for _, p := range parts {
		if p.Number == next {
			objects, next = append(objects, p.Objects...), next+1
		}
	}
	return objects
}

// A program may end at any step of the sending of a part: what it recorded is there,
// once, whether that part came or not.
func TestFinishSharedAtEachStep(t *testing.T) { EachVersion(t, testFinishSharedAtEachStep) }

func testFinishSharedAtEachStep(t *testing.T) {
	r, s, thread, path := someShared(t)
	someCalls(r, thread, 1, 3)
	c := thread.chunk.Load()
	p, st := c.Pending(), s.thread(thread)
	all := func() []byte {
		if thread.chunk.Load() != c {
			t.Fatal("the thread has got another buffer: record less")
		}
		return c.Data[:thread.bytes]
	}
	part := calls.Part{HasThread: true, Objects: bytes.Clone(p.Data)}
	check := func(step string, came bool, change func([]byte)) {
		t.Helper()
		parts := finished(t, path, change)
		if came {
			parts = append([]calls.Part{part}, parts...)
		}
		if got := joined(parts...); !bytes.Equal(got, all()) {
			t.Errorf("%s: %d bytes of objects, want %d", step, len(got), len(all()))
		}
	}
	check("not begun", false, nil)
	st.sending(thread, p, len(p.Marks))
	check("about to be sent", false, nil)
	check("sent", true, nil)
	someCalls(r, thread, 3, 5)
	check("about to be sent, more behind it", false, nil)
	check("sent, more behind it", true, nil)
	st.sentAll(thread, p, len(p.Marks))
	check("noted", true, nil)

	slot, chunk := thread.file.live.slot.Off, c.SlotOff()
	sending := func(file []byte) { binary.NativeEndian.PutUint64(file[slot+live.SharedSending:], 1) }
	check("noted, but for the last word", true, sending)
	check("noted, but for the last two words", true, func(file []byte) {
		sending(file)
		binary.NativeEndian.PutUint64(file[chunk+live.ChunkFlushed:], 0)
	})
}

// What is sent besides that is in no buffer has a number too.
func TestFinishSharedBehindANote(t *testing.T) { EachVersion(t, testFinishSharedBehindANote) }

func testFinishSharedBehindANote(t *testing.T) {
	r, s, thread, path := someShared(t)
	st := s.thread(thread)
	st.sending(thread, buffers.Part{}, 0)
	someCalls(r, thread, 1, 3)
	all := thread.chunk.Load().Data[:thread.bytes]
	parts := finished(t, path, nil)
	if got := joined(parts...); !bytes.Equal(got, all) {
		t.Errorf("it did not come: %d bytes of objects, want %d", len(got), len(all))
	}
	note := calls.Part{HasThread: true}
	if got := joined(append([]calls.Part{note}, parts...)...); !bytes.Equal(got, all) {
		t.Errorf("it came: %d bytes of objects, want %d", len(got), len(all))
	}
}
