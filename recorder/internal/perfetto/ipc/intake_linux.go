package ipc

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// socket is the system's socket of a link; nil if it has none.
type socket = syscall.RawConn

func socketOf(sock net.Conn) socket {
	if conn, ok := sock.(syscall.Conn); ok {
		if raw, err := conn.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}

// receive reads once and keeps the file that arrived with the bytes. Bytes are counted
// at the moment when they are taken out of the socket.
func (l *link) receive(b []byte) (n int, err error) {
	if l.socket == nil {
		return l.receiveElsewhere(b)
	}
	var room []byte // nil where no files can arrive
	if l.unix != nil {
		room = make([]byte, rightsRoom)
	}
	files := 0
	fault := l.socket.Read(func(fd uintptr) bool {
		l.intake.mu.Lock()
		defer l.intake.mu.Unlock()
		for {
			n, files, _, _, err = unix.Recvmsg(int(fd), b, room, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		n = max(n, 0) // -1 with an error
		l.intake.taken += uint64(n)
		if errors.Is(err, unix.EAGAIN) {
			err = nil
			return l.intake.empty()
		}
		if err != nil {
			err = os.NewSyscallError("recvmsg", err)
		} else if n == 0 {
			err = io.EOF
		}
		return true
	})
	if fault != nil {
		return 0, fault
	}
	if file := firstFile(room[:files]); file != nil {
		l.file.keep(file)
	}
	return n, err
}

// unread returns how many bytes are in the socket, and whether no more will arrive
// after them. Called with the intake's mu held.
func (l *link) unread() (waiting int, ends bool) {
	if l.socket == nil {
		return 0, false
	}
	fault := l.socket.Control(func(fd uintptr) {
		// The end is checked first: after it no further bytes can arrive
		// that the number would miss.
		state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(state, 0)
		ends = err == nil && n > 0
		if waiting, err = unix.IoctlGetInt(int(fd), unix.SIOCINQ); err != nil {
			waiting = 0
		}
	})
	// The end of a closed socket is still to be handled.
	return waiting, ends || fault != nil
}
