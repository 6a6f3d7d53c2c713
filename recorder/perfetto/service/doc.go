// Package service is a tracing service that speaks Perfetto's protocol. Programs
// connect to it and offer data sources; consumers ask for sessions. The service
// copies what programs write into the sessions' buffers ([tracebuf.Buffer]), where
// it outlives them, and hands it to consumers or writes it into files. A consumer is
// another process that connects (package consumer, or the command perfetto), or Go code
// in this process ([Session]).
//
//	program ──memory──►┐                            ┌──► ReadBuffers ──► consumer
//	        ──socket──►│ move, patch, scrape        │
//	                   └──► buffer ───────► drain ──┤
//	                        (one or more            └──► output ──► file
//	                         of a session)
//
// # The protocol
//
// The protocol is that of Perfetto v58.2, as its services and client libraries speak
// it over sockets: the fifteen methods of ConsumerPort and the twelve of
// ProducerPort, shared memory made by the service or by the producer, and emulated
// memory for producers on other machines. The service scrapes and patches chunks.
// Consumers can detach from sessions and clone them; triggers can start, stop and
// clone them. The tests replay captures of the real service and client, and the
// interop tests run the real client library.
//
// Out of scope is what Android needs to trace many owners on people's devices, and
// what no reader here uses. The service refuses a config that asks for such a
// feature if the trace would differ without it; the error names the field:
//
//	trace_filter, priority_boost                     filtering, scheduling
//	exclusive_prio, session_semaphores,              rules between sessions
//	lockdown_mode LOCKDOWN_SET
//	buffers.experimental_mode TRACE_BUFFER_V2        the second kind of buffer
//	skip_probability, max_per_24_h of a trigger      triggers skipped at random or by rate
//	CloneSession of a session written into a file    copies of files
//
// It ignores fields that are for other programs (statsd, uploads), and
//
//	enable_extra_guardrails, guardrail_overrides     passed to producers only
//	bugreport_score, bugreport_filename              no session is for bug reports
//	service events, concurrent session events        not in the trace
//	chunk usage histograms                           not in the stats
//
// It does not run programs on overwritten data (ProtoVM), and does not relay the
// services of other machines; programs on other machines can connect. Clock
// snapshots do not include the processor's counter (TSC).
//
// The services are called ProducerPort and ConsumerPort, each on a socket of its own.
// The file of a program's memory is sent with the command SetupTracing, an answer to
// GetAsyncCommand, and not with the answer to InitializeConnection, to which a program
// adds the file of memory that it has made. With EnableTracing comes the file of a
// session with write_into_file.
//
// # A session
//
//	             start, or a trigger          stop, duration, trigger
//	configured ─────────────────────► started ───────────────────────┐
//	    │                                │ flush, then stop           ▼
//	    │ disable                        │                        stopping
//	    │                        disable │                            │ all data sources
//	    ▼                                ▼                            │ have, or out of time
//	disabled ◄────────────────────────────────────────────────────────┘
//	    │ its file is complete; EnableTracing is answered
//	    ▼
//	free: the buffers are gone          cloned: a copy, only for reading
//
// A session ends when its consumer leaves, unless the consumer detached from it. An
// instance is a data source of one program as one session uses it: configured,
// starting, started, stopping, stopped. Data sources that do not announce when they
// have started or stopped skip starting and stopping.
//
// # Locking
//
// One lock guards all state. Handlers and timers hold it for a short time: sending
// only queues a message, and a peer that does not read loses its connection. Packets
// are read from buffers in steps of some 256 KiB, or one packet if it is larger, and
// sent, written to a file (by its own goroutine) or handed to a function without the
// lock. So no goroutine that holds the lock waits for a consumer that does not read,
// for a full pipe, or for a disk.
//
// Packets of any size that a producer can write, up to 64 MiB, reach a consumer: the
// service sends as the consumer reads. A consumer that has asked for data may be slow,
// and data that does not fit into the session's buffer meanwhile is lost as in any
// ring. The service ends the connection, and with it the session, only if the consumer
// reads nothing for ten seconds, as Perfetto's does.
//
// # Flushing
//
// Each connection has its own goroutine that reads it. So what a program sent before
// a consumer asked for a flush, a clone or the end of a session may still be unread
// when that request is handled. All three first handle what is in the socket by
// then, even from programs that need not answer or are gone, but not what arrives
// later. They take no longer than a flush, or a stop, may take. Only Linux tells
// what is unread: on other systems it may arrive too late. When a consumer leaves,
// or the service is closed, sessions end at once.
//
// # Trust
//
// The service trusts no peer. The operating system tells a peer's user and process.
// A consumer must run as this process's user, or as root. A producer reads and
// writes only its own memory. The service copies that memory before it relies on
// anything in it (see package smb). A producer's chunks reach only buffers of
// sessions that set up one of its data sources. Its packets may not have the fields
// that name their writer: the service adds these. Memory made by a producer must be
// sealed, so that it cannot shrink. [Limits] bound what a producer may have.
package service
