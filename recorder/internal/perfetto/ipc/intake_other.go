//go:build !linux

package ipc

import "net"

// socket is nothing: this system does not report how many bytes are in a socket.
type socket struct{}

func socketOf(net.Conn) socket { return socket{} }

// receive reads once and keeps the file that arrived with the bytes.
func (l *link) receive(b []byte) (int, error) { return l.receiveElsewhere(b) }

// unread returns zeros: the number of bytes in the socket is not known here.
func (l *link) unread() (waiting int, ends bool) { return 0, false }
