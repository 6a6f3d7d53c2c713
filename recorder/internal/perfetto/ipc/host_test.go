package ipc

import (
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"tracex/recorder/perfetto/messages"
)

// TestAnswersOnTheWire compares the answers to valid and invalid calls with the bytes
// of the real service.
func TestAnswersOnTheWire(t *testing.T) {
	_, sock := host(t, HostOptions{}, Service{"ProducerPort", []Method{
		{"Echo", echo},
		{"Reject", func(r *Request) { _ = r.Reject() }},
		{"Events", func(r *Request) { _ = r.Stream(number(1)); _ = r.Reply(number(2)) }},
		{"Typed", Decoded(func(r *Request, m *messages.DetachRequest) { _ = r.Reply(m) })},
	}})
	peer := &raw{t: t, sock: sock}
	for _, c := range []struct {
		name, sent string
		answers    []string
	}{
		{"bind", "1001 1a0e 0a0c 50726f6475636572506f7274", []string{"1001 2231 0801 1001" +
			"1a08 0801 1204 4563686f" + "1a0a 0802 1206 52656a656374" + "1a0a 0803 1206 4576656e7473" + "1a09 0804 1205 5479706564"}},
		{"bind to what is not there", "1002 1a04 0a02 5858", []string{"1002 2200"}},
		{"bind to nothing", "1003 1a00", []string{"1003 2200"}},
		{"a call", "1004 2a0a 0801 1001 1a02 0801 2000", []string{"1004 3208 0801 1000 1a02 0801"}},
		{"an empty call", "1005 2a08 0801 1001 1a00 2000", []string{"1005 3206 0801 1000 1a00"}},
		{"no arguments at all", "1006 2a04 0801 1001", []string{"1006 3206 0801 1000 1a00"}},
		{"a number of many bytes", "10ffffffffffffffffff01 2a04 0801 1001", []string{"10ffffffffffffffffff01 3206 0801 1000 1a00"}},
		{"a call that is rejected", "1007 2a08 0801 1002 1a00 2000", []string{"1007 3202 1000"}},
		{"a stream", "1008 2a08 0801 1003 1a00 2000", []string{"1008 3208 0801 1001 1a02 1001", "1008 3208 0801 1000 1a02 1002"}},
		{"no such method", "1009 2a08 0801 1005 1a00 2000", []string{"1009 3202 0800"}},
		{"no method", "100a 2a02 0801", []string{"100a 3202 0800"}},
		{"a method of a large number", "100b 2a0a 0801 10ffffffff0f 2000", []string{"100b 3202 0800"}},
		{"no such service", "100c 2a08 0802 1001 1a00 2000", []string{"100c 3202 0800"}},
		{"arguments that make no sense", "100d 2a09 0801 1004 1a01 ff 2000", []string{"100d 3202 0800"}},
		{"nothing", "100e", []string{"100e 3a11 0a0f 756e6b6e6f776e2072657175657374"}},
		{"a reply", "100f 3200", []string{"100f 3a11 0a0f 756e6b6e6f776e2072657175657374"}},
		{"a field of a later version", "1010 4a00", []string{"1010 3a11 0a0f 756e6b6e6f776e2072657175657374"}},
		// These get no answer: the next answers are those of the next call.
		{"a reply not wanted", "1011 2a08 0801 1001 1a00 2001", nil},
		{"an empty frame", "", nil},
		{"no message", "ffff", nil},
		{"the last", "1012 2a08 0801 1001 1a00 2000", []string{"1012 3206 0801 1000 1a00"}},
	} {
		peer.send(unhex(t, c.sent))
		for _, want := range c.answers {
			if got, want := peer.next(), unhex(t, want); !slices.Equal(got, want) {
				t.Errorf("%s: %x, want %x", c.name, got, want)
			}
		}
	}
}

// TestTooLargeFrameEndsTheConnection: other connections continue.
func TestTooLargeFrameEndsTheConnection(t *testing.T) {
	ends := make(chan error, 2)
	h, bad := host(t, HostOptions{Disconnected: func(_ *Conn, err error) { ends <- err }}, Service{"Port", []Method{{"Echo", echo}}})
	other, sock := pair(t)
	h.Serve(sock)
	good := client(t, other)
	b, err := good.Bind(within(t), "Port")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bad.Write([]byte{0xfd, 0xff, 0x01, 0x00}); err != nil { // one byte too much
		t.Fatal(err)
	}
	if content := (&raw{t: t, sock: bad}).next(); content != nil {
		t.Errorf("the peer got %x", content)
	}
	if err := receive(t, ends, "the end"); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if err := b.Invoke(within(t), "Echo", text("x"), nil); err != nil {
		t.Error(err)
	}
}

// TestHooks checks the order of a connection's hooks and handlers.
func TestHooks(t *testing.T) {
	var order []string // owned by the connection's reading goroutine
	ended := make(chan error, 1)
	_, sock := host(t, HostOptions{
		Connected: func(c *Conn) error {
			c.Value = "mine"
			order = append(order, "connected")
			return nil
		},
		Disconnected: func(c *Conn, err error) {
			order = append(order, "disconnected "+c.Value.(string))
			ended <- err
		},
	}, Service{"Port", []Method{{"Echo", func(r *Request) { order = append(order, "call"); echo(r) }}}})
	c := client(t, sock)
	b, err := c.Bind(within(t), "Port")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := b.Send("Echo", text("")); err != nil {
			t.Fatal(err)
		}
	}
	c.Close() // what was sent before is handled
	if err := receive(t, ended, "the end"); !errors.Is(err, ErrDisconnected) {
		t.Error(err)
	}
	if want := []string{"connected", "call", "call", "call", "disconnected mine"}; !slices.Equal(order, want) {
		t.Errorf("%q, want %q", order, want)
	}
}

// TestRefused turns a peer away.
func TestRefused(t *testing.T) {
	_, sock := host(t, HostOptions{
		Connected:    func(*Conn) error { return errors.New("not you") },
		Disconnected: func(*Conn, error) { t.Error("it was never let in") },
	}, Service{"Port", []Method{{"Echo", func(*Request) { t.Error("it may not call") }}}})
	peer := &raw{t: t, sock: sock}
	_, _ = sock.Write(slices.Concat(framed(unhex(t, "1001 2a08 0801 1001 1a00 2000")), framed(unhex(t, "1002 1a04 0a02 5858"))))
	if content := peer.next(); content != nil {
		t.Errorf("it got %x", content)
	}
}

// TestReplies sends replies to a request that was answered, and replies that are too
// large: they are refused.
func TestReplies(t *testing.T) {
	results := make(chan []error, 1)
	_, b := bound(t, HostOptions{}, Method{"Odd", func(r *Request) {
		large := text(string(make([]byte, MaxFrame)))
		results <- []error{r.Reply(large), r.Stream(large), r.Stream(number(1)), r.Reject(), r.Reply(number(2)), r.Stream(number(3)), r.Reject()}
	}})
	got := make(chan Reply, 10)
	if err := b.Call("Odd", nil, func(r Reply) { got <- r }); err != nil {
		t.Fatal(err)
	}
	want := []error{ErrTooLarge, ErrTooLarge, nil, nil, ErrAnswered, ErrAnswered, ErrAnswered}
	if errs := receive(t, results, "the call"); !slices.EqualFunc(errs, want, errors.Is) {
		t.Errorf("%v, want %v", errs, want)
	}
	if r := receive(t, got, "the event"); r.Err != nil || !r.More {
		t.Errorf("%+v", r)
	}
	if r := receive(t, got, "the end"); !errors.Is(r.Err, ErrRejected) || r.More {
		t.Errorf("%+v", r)
	}
}

// TestDropped: the handler of a call without a reply knows that.
func TestDropped(t *testing.T) {
	dropped := make(chan bool, 2)
	_, b := bound(t, HostOptions{}, Method{"Tell", func(r *Request) {
		dropped <- r.Dropped()
		_ = r.Reply(nil)
	}})
	if err := errors.Join(b.Send("Tell", nil), b.Invoke(within(t), "Tell", nil, nil)); err != nil {
		t.Fatal(err)
	}
	if first, second := <-dropped, <-dropped; !first || second {
		t.Errorf("dropped: %v, %v; want true, false", first, second)
	}
}

// TestParked answers later, and rejects a request that was given up.
func TestParked(t *testing.T) {
	var parked Parked
	_, b := bound(t, HostOptions{},
		Method{"Wait", parked.Park},
		Method{"Go", func(r *Request) {
			_ = parked.Peek().Stream(number(1))
			_ = parked.Take().Reply(number(2))
			_ = r.Reply(nil)
		}})
	type answer struct {
		call int
		flag uint64
		err  error
	}
	answers := make(chan answer, 10)
	for call := range 3 {
		err := b.Call("Wait", nil, func(r Reply) {
			var m messages.FlushRequest
			err := r.Decode(&m)
			answers <- answer{call, m.GetFlags(), err}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Invoke(within(t), "Go", nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []answer{{0, 0, ErrRejected}, {1, 0, ErrRejected}, {2, 1, nil}, {2, 2, nil}} {
		got := receive(t, answers, "an answer")
		if got.call != want.call || got.flag != want.flag || !errors.Is(got.err, want.err) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if parked.Take() != nil || parked.Peek() != nil {
		t.Error("it is still parked")
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(string(slices.DeleteFunc([]byte(text), func(c byte) bool { return c == ' ' })))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
