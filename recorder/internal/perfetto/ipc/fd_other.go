//go:build !unix || aix

package ipc

import (
	"net"
	"os"
)

// filesPass means that Unix sockets can carry files on this system.
const filesPass = false

func receiveFile(sock *net.UnixConn, b []byte) (int, *os.File, error) {
	n, err := sock.Read(b)
	return n, nil, err
}

func sendFile(*net.UnixConn, []byte, int) (int, error) { return 0, ErrNoFiles }

func tryWrite(net.Conn, []byte, int) (int, error) { return 0, os.ErrDeadlineExceeded }

func duplicate(*os.File) (int, error) { return -1, ErrNoFiles }

func closeHandle(int) {}
