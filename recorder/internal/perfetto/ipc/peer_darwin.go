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
	fault := raw.Control(func(fd uintptr) {
		var cred *unix.Xucred
		if cred, err = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); err != nil {
			return
		}
		uid = int(cred.Uid)
		pid, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	return uid, pid, fault == nil && err == nil
}
