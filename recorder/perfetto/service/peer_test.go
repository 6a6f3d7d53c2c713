//go:build linux

package service

import (
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// rawPeer is a client of the service that sends the frames of a test.
type rawPeer struct {
	t      *testing.T
	sock   net.Conn
	frames chan *messages.IPCFrame // closed at the end
	files  chan *os.File
	inbox  []*messages.IPCFrame
	pings  uint64
	memory []byte
	gone   bool
}

func rawDial(t *testing.T, address string) *rawPeer {
	t.Helper()
	network := "unix"
	if !filepath.IsAbs(address) {
		network = "tcp"
	}
	sock, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	p := &rawPeer{t: t, sock: sock, frames: make(chan *messages.IPCFrame, 10_000), files: make(chan *os.File, 10)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.receive()
	}()
	t.Cleanup(func() {
		_ = sock.Close()
		<-done
		for file := range p.files {
			_ = file.Close()
		}
		unmap(p.memory)
	})
	return p
}

// receive receives frames until the connection ends.
func (p *rawPeer) receive() {
	defer close(p.files)
	defer close(p.frames)
	var buf []byte
	room, control := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(16))
	for {
		var n, oobn int
		var err error
		if u, ok := p.sock.(*net.UnixConn); ok {
			n, oobn, _, _, err = u.ReadMsgUnix(room, control)
		} else {
			n, err = p.sock.Read(room)
		}
		if messages, _ := unix.ParseSocketControlMessage(control[:oobn]); len(messages) > 0 {
			fds, _ := unix.ParseUnixRights(&messages[0])
			for _, fd := range fds {
				p.files <- os.NewFile(uintptr(fd), "received")
			}
		}
		if err != nil || n == 0 {
			return
		}
		for buf = append(buf, room[:n]...); len(buf) >= 4; {
			size := int(binary.LittleEndian.Uint32(buf))
			if len(buf) < 4+size {
				break
			}
			frame := new(messages.IPCFrame)
			if err := proto.Unmarshal(buf[4:4+size], frame); err != nil {
				p.t.Error(err)
				return
			}
			buf = buf[4+size:]
			p.frames <- frame
		}
	}
}

// send sends a frame unchanged, including its length, and a file with it.
func (p *rawPeer) send(frame []byte, file *os.File) {
	p.t.Helper()
	var err error
	if file != nil {
		_, _, err = p.sock.(*net.UnixConn).WriteMsgUnix(frame, unix.UnixRights(int(file.Fd())), nil)
	} else {
		_, err = p.sock.Write(frame)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// pingID is the first number for additional requests of a test.
const pingID = 1 << 40

// settle returns when the service has handled all that was sent to it, and its
// answers are in the inbox.
func (p *rawPeer) settle() {
	p.t.Helper()
	if p.gone {
		return
	}
	p.pings++
	b, err := proto.Marshal(&messages.IPCFrame{RequestId: proto.Uint64(pingID + p.pings)})
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...), nil)
	for {
		f := p.take()
		if f.GetRequestId() == pingID+p.pings {
			return
		}
		p.inbox = append(p.inbox, f)
	}
}

// take returns the next frame received.
func (p *rawPeer) take() *messages.IPCFrame {
	p.t.Helper()
	select {
	case f, ok := <-p.frames:
		if !ok {
			p.t.Fatal("the service has ended the connection")
		}
		return f
	case <-time.After(time.Minute):
		p.t.Fatal("no frame within a minute")
		return nil
	}
}

// next returns the next frame, from the inbox if there is one.
func (p *rawPeer) next() *messages.IPCFrame {
	p.t.Helper()
	if len(p.inbox) > 0 {
		f := p.inbox[0]
		p.inbox = p.inbox[1:]
		return f
	}
	return p.take()
}

// mapMemory maps the file that the service sent last.
func (p *rawPeer) mapMemory() {
	p.t.Helper()
	file := <-p.files
	if file == nil {
		p.t.Fatal("no file arrived")
	}
	p.mapFile(file)
	_ = file.Close()
}

func (p *rawPeer) mapFile(file *os.File) {
	p.t.Helper()
	info, err := file.Stat()
	if err == nil {
		p.memory, err = mapShared(file, int(info.Size()))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// hangUp ends the connection. Earlier frames are in the inbox.
func (p *rawPeer) hangUp() {
	p.t.Helper()
	p.settle()
	p.gone = true
	_ = p.sock.(interface{ CloseWrite() error }).CloseWrite() // it may have ended already
	for f := range p.frames {
		p.inbox = append(p.inbox, f)
	}
}
