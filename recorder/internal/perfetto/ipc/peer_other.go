//go:build !linux && !darwin

package ipc

import "net"

// credentials are not to be had on this system.
func credentials(*net.UnixConn) (uid, pid int, ok bool) { return 0, 0, false }
