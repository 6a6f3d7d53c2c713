//go:build unix && !aix

package ipc

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// filesPass means that Unix sockets can carry files on this system.
const filesPass = true

// rightsRoom is the size of a control message with one file. Two files fit into it as
// well. If a peer sends more, the system closes the rest.
var rightsRoom = unix.CmsgSpace(4)

// receiveFile reads once. If files arrive with the bytes, it returns the first and
// closes the others.
func receiveFile(sock *net.UnixConn, b []byte) (int, *os.File, error) {
	oob := make([]byte, rightsRoom)
	n, oobn, _, _, err := sock.ReadMsgUnix(b, oob)
	n = max(n, 0) // -1 with an error
	if oobn == 0 {
		if n == 0 && err == nil {
			err = io.EOF
		}
		return n, nil, err
	}
	return n, firstFile(oob[:oobn]), err
}

// firstFile returns the first file of a control message, or nil, and closes the
// others.
func firstFile(oob []byte) (file *os.File) {
	if len(oob) == 0 {
		return nil
	}
	messages, _ := unix.ParseSocketControlMessage(oob)
	for i := range messages {
		handles, _ := unix.ParseUnixRights(&messages[i])
		for _, handle := range handles {
			if file == nil {
				file = os.NewFile(uintptr(handle), "received over a socket")
			} else {
				closeHandle(handle)
			}
		}
	}
	return file
}

// sendFile writes as much of b as fits at once, with the file.
func sendFile(sock *net.UnixConn, b []byte, handle int) (int, error) {
	n, _, err := sock.WriteMsgUnix(b, unix.UnixRights(handle), nil)
	return max(n, 0), err
}

// tryWrite writes as much of b as fits without waiting, with the file if handle is not
// negative. If nothing fits, the error is os.ErrDeadlineExceeded.
func tryWrite(sock net.Conn, b []byte, handle int) (n int, err error) {
	conn, ok := sock.(syscall.Conn)
	if !ok {
		return 0, os.ErrDeadlineExceeded
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var rights []byte
	if handle >= 0 {
		rights = unix.UnixRights(handle)
	}
	fault := raw.Control(func(fd uintptr) {
		n, err = unix.SendmsgN(int(fd), b, rights, nil, unix.MSG_DONTWAIT)
	})
	switch {
	case fault != nil:
		return 0, fault
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return 0, os.ErrDeadlineExceeded
	}
	return max(n, 0), err
}

// duplicate returns a handle of the same file. The caller must close it with
// closeHandle.
func duplicate(file *os.File) (handle int, err error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return -1, err
	}
	fault := raw.Control(func(fd uintptr) {
		handle, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
	})
	if fault != nil {
		return -1, fault
	}
	return handle, err
}

func closeHandle(handle int) { _ = unix.Close(handle) }
