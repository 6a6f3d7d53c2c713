package ipc

import (
	"net"

	"golang.org/x/sys/unix"
)

// credentials returns those of the process that connected, or listened.
func credentials(sock *net.UnixConn) (uid, pid int, ok bool) {
	raw, err := sock.SyscallConn()
	if err != nil {
		return 0, 0, false
	}
	var cred *unix.Ucred
	fault := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if fault != nil || err != nil {
		return 0, 0, false
	}
	return int(cred.Uid), int(cred.Pid), true
}
