package ipc

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestOutbox has the frames of an outbox taken in order, also after it was closed,
// and dropped once it has failed. The first reason for the end is kept.
func TestOutbox(t *testing.T) {
	frame := func(id uint64) *messages.IPCFrame { return &messages.IPCFrame{RequestId: proto.Uint64(id)} }
	size := frameSize(t, frame(1))
	o := newOutbox(2*size + 1)
	for id := range uint64(2) {
		if _, err := o.put(frame(id), -1); err != nil {
			t.Fatal(err)
		}
	}
	if q, more := o.take(nil); len(q.bytes) != 2*size || !more {
		t.Errorf("%d bytes were taken, more: %v", len(q.bytes), more)
	}
	o.wrote(size)
	if _, err := o.put(frame(3), -1); err != nil {
		t.Error("there was room for one more frame:", err)
	}
	o.close()
	if q, more := o.take(nil); len(q.bytes) != size || !more {
		t.Errorf("%d bytes were taken after the end, more: %v", len(q.bytes), more)
	}
	if _, more := o.take(nil); more {
		t.Error("the writer does not end")
	}
	if _, err := o.put(frame(4), -1); !errors.Is(err, ErrClosed) {
		t.Error("a frame was queued after the end:", err)
	}
	o.fail(errors.New("too late"))
	if !errors.Is(o.reason(), ErrClosed) {
		t.Error("the reason is", o.reason())
	}

	o = newOutbox(2 * size)
	for id := range uint64(3) {
		if overrun, err := o.put(frame(id), -1); overrun != (id == 2) || overrun && !errors.Is(err, ErrSendTimeout) {
			t.Errorf("frame %d: overrun %v, %v", id, overrun, err)
		}
	}
	if q, more := o.take(nil); len(q.bytes) != 0 || more {
		t.Errorf("%d bytes were taken after a failure, more: %v", len(q.bytes), more)
	}
	if err := o.wait(context.Background()); !errors.Is(err, ErrSendTimeout) {
		t.Error("waiting ended with", err)
	}
}

func frameSize(t *testing.T, f *messages.IPCFrame) int {
	t.Helper()
	b, err := appendFrame(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return len(b)
}
