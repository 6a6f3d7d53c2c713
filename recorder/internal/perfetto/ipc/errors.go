package ipc

import "errors"

var (
	// ErrPlatform is returned where a program and a service cannot share memory:
	// WebAssembly, Plan 9 and AIX.
	ErrPlatform = errors.New("no shared memory on this platform")

	// ErrTooLarge is returned for a frame of more than [MaxFrame] bytes. If such a frame
	// arrives, the connection ends; none is sent.
	ErrTooLarge = errors.New("a frame may have at most 128 KiB")

	// ErrClosed is returned after this end has closed the connection.
	ErrClosed = errors.New("the connection is closed")

	// ErrDisconnected is returned when the peer has ended the connection.
	ErrDisconnected = errors.New("the peer is gone")

	// ErrSendTimeout is returned when the connection was ended because the peer did not
	// read in time.
	ErrSendTimeout = errors.New("the peer does not read what is sent to it")

	// ErrRejected is returned for a call that the host did not carry out. The
	// protocol does not say why.
	ErrRejected = errors.New("the service rejected the call")

	// ErrNoService is returned if a host does not have the service asked for.
	ErrNoService = errors.New("the peer does not offer this service")

	// ErrNoMethod is returned if a service, being older, lacks a method.
	ErrNoMethod = errors.New("the service does not have this method")

	// ErrNoFiles is returned for a file on a connection that cannot carry files.
	ErrNoFiles = errors.New("this connection cannot carry files")

	// ErrFilePending is returned for a file while the peer may not have taken the
	// previous one. The caller must wait for a reply first.
	ErrFilePending = errors.New("the peer may not have taken the last file yet")

	// ErrAnswered is returned for a reply to a request after its last reply.
	ErrAnswered = errors.New("the request was already answered")
)
