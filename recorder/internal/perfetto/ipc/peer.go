package ipc

import (
	"net"

	"tracex/recorder/perfetto/messages"
)

// Peer describes the other end of a connection to a host.
type Peer struct {
	// UID and PID are those of the process that connected, or -1 if unknown. For a
	// Unix socket they are from the system.
	UID, PID int
	// Local is set if the peer connected over a Unix socket, so from this machine: it
	// can share memory.
	Local bool
	// Relayed is set if a relay named the peer, over TCP, without any proof.
	// MachineHint and MachineName are its machine.
	Relayed                  bool
	MachineHint, MachineName string
}

// peerOf asks the system about the other end.
func peerOf(sock net.Conn) Peer {
	peer := Peer{UID: -1, PID: -1}
	if unix, ok := sock.(*net.UnixConn); ok {
		peer.Local = true
		if uid, pid, ok := credentials(unix); ok {
			peer.UID, peer.PID = uid, pid
		}
	}
	return peer
}

// relayed returns the peer with the identity that a relay sent. Only the first one for
// a peer of another machine counts.
func (p Peer) relayed(said *messages.IPCFrame_SetPeerIdentity) Peer {
	if p.Local || p.Relayed {
		return p
	}
	return Peer{
		UID:         int(said.GetUid()),
		PID:         int(said.GetPid()),
		Relayed:     true,
		MachineHint: said.GetMachineIdHint(),
		MachineName: said.GetMachineName(),
	}
}
