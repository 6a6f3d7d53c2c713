package shared

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/sink"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/recordertest"
)

// held is a sink that keeps what it is given, and sends nothing: so a test can end the program
// at any step of sending.
type held struct {
	*callSink
	thread sink.Thread
	part   buffers.Part // the last that was not empty
}

func (h *held) Open(r sink.Recorder, o sink.Options) (_ sink.Sink, err error) {
	h.callSink, err = newCallSink(r, o, nil)
	return h, err
}

func (h *held) Put(t sink.Thread, p buffers.Part, _ bool) (buffers.Part, error) {
	h.thread = t
	if len(p.Data) > 0 {
		h.part = p
	}
	return buffers.Part{}, nil
}

func (h *held) Flush() {}

// all returns everything recorded into the buffer of the part.
func (h *held) all() []byte {
	n, _ := buffers.Unpack(h.part.Chunk.Published.Load())
	return h.part.Chunk.Data[:n]
}

// someShared returns a recorder for a service, with a live file, and a thread. There is no
// service, so only the test sends.
func someShared(t *testing.T) (r *recorder.Recorder, h *held, thread *recorder.Thread, live string) {
	t.Helper()
	return sharedWith(t, recorder.Config{NoTimes: true})
}

// sharedWith is someShared with some of its config.
func sharedWith(t *testing.T, c recorder.Config) (r *recorder.Recorder, h *held, thread *recorder.Thread, live string) {
	t.Helper()
	dir, h := t.TempDir(), &held{}
	t.Setenv(ipc.ProducerVariable, filepath.Join(dir, "no service"))
	t.Setenv(LiveDirectory, dir)
	c.Strategy, c.Service, c.FlushInterval, c.OnError = recorder.SharedMemory, h, -1, func(error) {}
	r, err := recorder.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop() }) // no service was told of it
	files, err := filepath.Glob(filepath.Join(dir, "*"+format.LiveSuffix))
	if err != nil || len(files) != 1 {
		t.Fatalf("live files: %q, %v", files, err)
	}
	return r, h, r.Thread("worker"), files[0]
}

// finished returns what Finish makes of a copy of a live file, after change, if not nil,
// modified the copy.
func finished(t *testing.T, path string, change func(file []byte)) (parts []calls.Part) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(file)
	}
	copied := filepath.Join(t.TempDir(), "copy"+format.LiveSuffix)
	if err := os.WriteFile(copied, file, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if done, err := Finish(copied, &out); err != nil || !done.Done || done.Short > 0 {
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

// joined returns what a reader makes of parts: the first of each number counts, and nothing
// after a missing one.
func joined(parts ...calls.Part) (objects []byte) {
	next := uint64(0)
	for _, p := range parts {
		if p.Number == next {
			objects, next = append(objects, p.Objects...), next+1
		}
	}
	return objects
}

// TestFinishTimes: what a program recorded before it sent anything has the time when that was.
func TestFinishTimes(t *testing.T) {
	before := producer.BootTime(time.Now())
	r, _, thread, path := sharedWith(t, recorder.Config{})
	thread.Enter(r.Method(r.Class("C"), "m", recorder.Type{}), 0, recorder.Null())
	after := producer.BootTime(time.Now())
	var out bytes.Buffer
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy"+format.LiveSuffix)
	if err := os.WriteFile(copied, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if done, err := Finish(copied, &out); err != nil || done.Threads != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	var trace messages.Trace
	if err := proto.Unmarshal(out.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	const unsure = 10_000_000 // ns, of comparing two clocks
	for _, p := range trace.Packet {
		if at := p.GetTimestamp(); at+unsure < before || at > after+unsure {
			t.Errorf("a packet is at %d, recorded from %d to %d", at, before, after)
		}
	}
	if len(trace.Packet) == 0 {
		t.Error("no packets")
	}
}

// A program may end at any step of sending a part: what it recorded is found exactly once,
// whether that part arrived or not.
func TestFinishAtEachStep(t *testing.T) { versiontest.EachVersion(t, testFinishAtEachStep) }

func testFinishAtEachStep(t *testing.T) {
	r, h, thread, path := someShared(t)
	recordertest.Calls(r, thread, 1, 3)
	_, _ = r.Flush()
	p, c := h.part, h.part.Chunk
	st := h.callSink.thread(h.thread.ID)
	part := calls.Part{HasThread: true, Objects: bytes.Clone(p.Data)}
	check := func(step string, came bool, change func([]byte)) {
		t.Helper()
		parts := finished(t, path, change)
		if came {
			parts = append([]calls.Part{part}, parts...)
		}
		if got := joined(parts...); !bytes.Equal(got, h.all()) {
			t.Errorf("%s: %d bytes of objects, want %d", step, len(got), len(h.all()))
		}
	}
	check("not begun", false, nil)
	st.sending(h.thread, p, len(p.Marks))
	check("about to be sent", false, nil)
	check("sent", true, nil)
	recordertest.Calls(r, thread, 3, 5)
	check("about to be sent, more after it", false, nil)
	check("sent, more after it", true, nil)
	st.sentAll(h.thread, p, len(p.Marks))
	check("noted", true, nil)

	slot, chunk := h.thread.Slot.Off, c.SlotOff()
	sending := func(file []byte) { binary.NativeEndian.PutUint64(file[slot+live.SharedSending:], 1) }
	check("noted, but for the last word", true, sending)
	check("noted, but for the last two words", true, func(file []byte) {
		sending(file)
		binary.NativeEndian.PutUint64(file[chunk+live.ChunkFlushed:], 0)
	})
}

// A part that is in no buffer has a number too.
func TestFinishAfterANote(t *testing.T) { versiontest.EachVersion(t, testFinishAfterANote) }

func testFinishAfterANote(t *testing.T) {
	r, h, thread, path := someShared(t)
	_, _ = r.Flush()
	st := h.callSink.thread(h.thread.ID)
	st.sending(h.thread, buffers.Part{}, 0)
	recordertest.Calls(r, thread, 1, 3)
	_, _ = r.Flush()
	all := h.all()
	parts := finished(t, path, nil)
	if got := joined(parts...); !bytes.Equal(got, all) {
		t.Errorf("it did not come: %d bytes of objects, want %d", len(got), len(all))
	}
	note := calls.Part{HasThread: true}
	if got := joined(append([]calls.Part{note}, parts...)...); !bytes.Equal(got, all) {
		t.Errorf("it came: %d bytes of objects, want %d", len(got), len(all))
	}
}
