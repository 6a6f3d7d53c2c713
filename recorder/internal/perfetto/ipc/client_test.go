package ipc

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestInvoke calls methods by name. Only the host knows their numbers.
func TestInvoke(t *testing.T) {
	client, b := bound(t, HostOptions{},
		Method{"Other", func(r *Request) { _ = r.Reply(text("other")) }},
		Method{"Echo", echo})
	var got messages.DetachRequest
	if err := b.Invoke(within(t), "Echo", text("hello"), &got); err != nil || got.GetKey() != "hello" {
		t.Errorf("%v, %v", &got, err)
	}
	if !b.Has("Echo") || b.Has("Later") {
		t.Error("the methods are not those of the service")
	}
	if err := b.Invoke(within(t), "Later", nil, nil); !errors.Is(err, ErrNoMethod) {
		t.Error(err)
	}
	if err := b.Send("Echo", text(string(make([]byte, MaxFrame)))); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	// A string where the answer should have a message.
	if err := b.Invoke(within(t), "Echo", text("x"), &messages.GetAsyncCommandResponse{}); err == nil {
		t.Error("an answer without sense was taken")
	}
	if _, err := client.Bind(within(t), "Nobody"); !errors.Is(err, ErrNoService) {
		t.Error(err)
	}
	if err := client.Err(); err != nil {
		t.Error(err)
	}
}

// TestOrder mixes replies and events of several calls: each arrives, in the order in
// which they were sent.
func TestOrder(t *testing.T) {
	const events = 2000
	var parked Parked
	var sent []uint64 // of the handlers, one at a time
	all := make(chan []uint64, 1)
	note := func(r *Request, m *messages.FlushRequest) {
		sent = append(sent, m.GetFlags())
		_ = parked.Peek().Stream(m)
		if m.GetFlags()%3 == 0 {
			sent = append(sent, m.GetFlags()+1e6)
			_ = r.Reply(number(int(m.GetFlags()) + 1e6))
		}
		if m.GetFlags() == events-1 {
			_ = parked.Take().Reject()
			all <- sent
		}
	}
	client, b := bound(t, HostOptions{}, Method{"Observe", parked.Park}, Method{"Note", Decoded(note)})

	var got []uint64 // of the callbacks, one at a time
	over := make(chan struct{})
	take := func(r Reply) {
		var m messages.FlushRequest
		if err := r.Decode(&m); errors.Is(err, ErrRejected) {
			close(over)
		} else if err == nil {
			got = append(got, m.GetFlags())
		}
	}
	if err := b.Call("Observe", nil, take); err != nil {
		t.Fatal(err)
	}
	for n := range events {
		var err error
		if n%3 == 0 {
			err = b.Call("Note", number(n), take)
		} else {
			err = b.Send("Note", number(n))
		}
		if err == nil {
			err = client.Wait(within(t))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	receive(t, over, "the end of the stream")
	if want := receive(t, all, "the list"); len(got) != events+(events+2)/3 || !slices.Equal(got, want) {
		t.Errorf("%d answers arrived, of %d, or in another order", len(got), len(want))
	}
}

// TestManyCallers calls from many goroutines over one connection.
func TestManyCallers(t *testing.T) {
	// Answered later, from goroutines of the host's own.
	var answers sync.WaitGroup
	t.Cleanup(answers.Wait) // after the host's end
	_, b := bound(t, HostOptions{}, Method{"Echo", func(r *Request) { answers.Go(func() { echo(r) }) }})
	var callers sync.WaitGroup
	for caller := range 16 {
		callers.Go(func() {
			for i := range 50 {
				var got messages.FlushRequest
				want := caller*1000 + i
				if err := b.Invoke(within(t), "Echo", number(want), &got); err != nil || got.GetFlags() != uint64(want) {
					t.Errorf("%v, %v; want %d", &got, err, want)
					return
				}
			}
		})
	}
	callers.Wait()
}

// TestGivenUp stops waiting for an answer, which arrives later and is ignored.
func TestGivenUp(t *testing.T) {
	var parked Parked
	reached := make(chan struct{})
	_, b := bound(t, HostOptions{},
		Method{"Wait", func(r *Request) { parked.Park(r); close(reached) }},
		Method{"Go", func(r *Request) { _ = parked.Take().Reply(nil); _ = r.Reply(nil) }})
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- b.Invoke(ctx, "Wait", nil, nil) }()
	receive(t, reached, "the call")
	cancel()
	if err := receive(t, result, "the caller"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := b.Invoke(within(t), "Go", nil, nil); err != nil {
		t.Error(err)
	}
}

// TestHostGone: calls without an answer fail, each once and in order, and so do later
// ones.
func TestHostGone(t *testing.T) {
	h, sock := host(t, HostOptions{}, Service{"Port", []Method{
		{"Wait", func(*Request) {}},
		{"Event", func(r *Request) { _ = r.Stream(nil) }},
	}})
	c := client(t, sock)
	b, err := c.Bind(within(t), "Port")
	if err != nil {
		t.Fatal(err)
	}
	var failed []int
	begun := make(chan struct{}, 1)
	for i := range 20 {
		err := b.Call("Wait", nil, func(r Reply) {
			if !errors.Is(r.Err, ErrDisconnected) {
				t.Error(r.Err)
			}
			failed = append(failed, i)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = b.Call("Event", nil, func(r Reply) {
		if r.More {
			begun <- struct{}{}
		} else {
			failed = append(failed, 20)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	receive(t, begun, "the event")
	closeHost(t, h)
	receive(t, c.Done(), "the end of the client")
	if len(failed) != 21 || !slices.IsSorted(failed) {
		t.Errorf("%v were told", failed)
	}
	if err := b.Send("Wait", nil); !errors.Is(err, ErrDisconnected) || !errors.Is(c.Err(), ErrDisconnected) {
		t.Errorf("%v, %v", err, c.Err())
	}
	if err := c.Wait(within(t)); !errors.Is(err, ErrDisconnected) {
		t.Error(err)
	}
}

// TestClientClosed: the queued frames are sent, and open calls get an answer.
func TestClientClosed(t *testing.T) {
	count := make(chan int, 1)
	n := 0
	_, sock := host(t, HostOptions{Disconnected: func(*Conn, error) { count <- n }},
		Service{"Port", []Method{{"Take", func(*Request) { n++ }}}})
	c := client(t, sock)
	b, err := c.Bind(within(t), "Port")
	if err != nil {
		t.Fatal(err)
	}
	open := make(chan error, 1)
	if err := b.Call("Take", nil, func(r Reply) { open <- r.Err }); err != nil {
		t.Fatal(err)
	}
	const sends = 3000
	for range sends {
		if err := b.Send("Take", text("something that takes a little room")); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	if err := receive(t, open, "the answer"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if got := receive(t, count, "the end"); got != sends+1 {
		t.Errorf("%d of %d calls arrived", got, sends+1)
	}
	if err := b.Send("Take", nil); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	c.Close() // once more does nothing
}

// TestClosedByCallback closes the client in a callback, which must not wait.
func TestClosedByCallback(t *testing.T) {
	c, b := bound(t, HostOptions{}, Method{"Echo", echo})
	if err := b.Call("Echo", nil, func(Reply) { c.Close() }); err != nil {
		t.Fatal(err)
	}
	receive(t, c.Done(), "the end of the client")
}

// TestOddHost has a host that sends unexpected answers.
func TestOddHost(t *testing.T) {
	sock, there := pair(t)
	peer := &raw{t: t, sock: there}
	c := client(t, sock)
	result := make(chan error, 1)
	var b *Binding
	go func() {
		var err error
		b, err = c.Bind(context.Background(), "Port")
		result <- err
	}()
	if got, want := peer.next(), unhex(t, "1001 1a06 0a04 506f7274"); !slices.Equal(got, want) {
		t.Errorf("bind is %x, want %x", got, want)
	}
	for _, frame := range []string{
		"1063 3206 0801 1000 1a00", // a reply to no call
		"3206 0801 1000 1a00",      // to none at all
		"", "ffff", "1002",
		// Its methods: one has no name, one no number.
		"1001 2219 0801 1007" + "1a02 0803" + "1a03 1201 41" + "1a05 0809 1201 42" + "1a03 1201 43",
	} {
		peer.send(unhex(t, frame))
	}
	if err := receive(t, result, "the binding"); err != nil {
		t.Fatal(err)
	}
	if b.Has("A") || b.Has("") || !b.Has("B") || b.Has("C") {
		t.Error("the methods are not those that have name and number")
	}
	answers := make(chan error, 1)
	call := func(frames ...string) error {
		t.Helper()
		if err := b.Call("B", nil, func(r Reply) { answers <- r.Err }); err != nil {
			t.Fatal(err)
		}
		peer.next()
		for _, frame := range frames {
			peer.send(unhex(t, frame))
		}
		return receive(t, answers, "the answer")
	}
	if err := call("1002 3a03 0a01 58"); !errors.Is(err, ErrRejected) { // an error
		t.Error(err)
	}
	if err := call("1003 2200"); !errors.Is(err, ErrRejected) { // of another kind
		t.Error(err)
	}
	if err := call("1004 3202 1001"); !errors.Is(err, ErrRejected) { // rejected, and more to come
		t.Error(err)
	}
	if err := call("1005 3202 0801", "1005 3202 0801"); err != nil { // answered twice
		t.Error(err)
	}
	if err := call("1006 3206 0801 1000 1a00"); err != nil {
		t.Error(err)
	}
	if len(answers) != 0 {
		t.Error("an answer too many")
	}
}

// TestBytesOfACall compares the bytes of a call with those of the real client.
func TestBytesOfACall(t *testing.T) {
	sock, there := pair(t)
	peer := &raw{t: t, sock: there}
	b := newBinding(client(t, sock), "ProducerPort", &messages.IPCFrame_BindServiceReply{
		ServiceId: proto.Uint32(1),
		Methods: []*messages.IPCFrame_BindServiceReply_MethodInfo{
			{Id: proto.Uint32(4), Name: proto.String("CommitData")},
			{Id: proto.Uint32(5), Name: proto.String("GetAsyncCommand")},
		},
	})
	if err := errors.Join(
		b.Call("GetAsyncCommand", nil, func(Reply) {}),
		b.Send("CommitData", &messages.CommitDataRequest{FlushRequestId: proto.Uint64(5)}),
	); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1001 2a08 0801 1005 1a00 2000", "1002 2a0a 0801 1004 1a02 1805 2001"} {
		if got, want := peer.next(), unhex(t, want); !slices.Equal(got, want) {
			t.Errorf("%x, want %x", got, want)
		}
	}
}
