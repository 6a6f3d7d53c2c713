//go:build !linux

package ipc

import "net"

// socket is the system's of a link, where that tells what waits in it.
type socket struct{}

func socketOf(net.Conn) socket { return socket{} }

// receive reads once and keeps the file that came along.
func (l *link) receive(b []byte) (int, error) { return l.receiveElsewhere(b) }

// unread returns how many bytes wait in the socket, and whether nothing will come
// after them; this system is not asked.
func (l *link) unread() (waiting int, ends bool) { return 0, false }
