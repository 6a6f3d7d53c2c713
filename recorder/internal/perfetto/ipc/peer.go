package ipc

import (
	"net"

	"tracex/recorder/internal/perfetto/messages"
)

// Peer describes the other end of a connection to a host.
type Peer struct {
	// UID and PID are the process's that connected; -1 if unknown. Over a Unix
	// socket the system vouches for them.
	UID, PID int
	// Local says that it came over a Unix socket, from this machine: it can share
	// memory.
	Local bool
	// Relayed says that a relay named the peer, once, over TCP, without
	// any proof. MachineHint and MachineName tell its machine.
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

// relayed takes what a relay says of a peer that is not of this machine.
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
