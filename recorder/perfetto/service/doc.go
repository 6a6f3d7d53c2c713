// Package service is a tracing service that speaks Perfetto's protocol. Programs
// connect to it and offer data sources; consumers ask for sessions. The service
// copies what the programs write into the sessions' buffers ([tracebuf.Buffer]),
// where it survives them, and hands it to consumers or writes it into files. A
// consumer is another process that connects, or Go code of this one ([Session]).
//
//	program ──memory──►┐                            ┌──► ReadBuffers ──► consumer
//	        ──socket──►│ move, patch, scrape        │
//	                   └──► buffer ───────► drain ──┤
//	                        (one or more            └──► output ──► file
//	                         of a session)
//
// # The protocol
//
// The protocol is that of Perfetto v58.2, as its services and client libraries of
// that version speak it over sockets: the fifteen methods of ConsumerPort and the
// twelve of ProducerPort, shared memory that the service makes or that the producer
// does, and emulated memory for producers of other machines. Chunks are scraped and
// patched. Sessions can be detached from, cloned, and started, stopped and cloned by
// triggers. Captures of the real service and client are replayed in the tests, and
// the interop tests run the real client library.
//
// Out of scope is what Android needs to run traces of many owners on devices that
// people carry, and what no reader here uses. A config that asks for something whose
// absence would change what the trace has is refused, with the field's name:
//
//	trace_filter, priority_boost                     filtering, scheduling
//	exclusive_prio, session_semaphores,              rules between sessions
//	lockdown_mode LOCKDOWN_SET
//	buffers.experimental_mode TRACE_BUFFER_V2        the second kind of buffer
//	skip_probability, max_per_24_h of a trigger      triggers by chance
//	CloneSession of a session written into a file    copies of files
//
// Ignored are fields that are for other programs (statsd, uploads), and
//
//	enable_extra_guardrails, guardrail_overrides     passed to producers only
//	bugreport_score, bugreport_filename              no session is for bug reports
//	service events, concurrent session events        not in the trace
//	chunk usage histograms                           not in the stats
//
// It does not run programs on what is overwritten (ProtoVM), or relay other
// machines' services; programs of other machines can connect. Clock snapshots do not
// have the processor's counter (TSC).
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
//	    │ its file is written to the end; EnableTracing is answered
//	    ▼
//	free: the buffers are gone          cloned: a copy, for reading alone
//
// A session ends with its consumer, unless that detached from it. A data source
// of a program that the session wants is an instance: configured, starting,
// started, stopping, stopped. Starting and stopping are passed over for those that
// do not say when they have.
//
// # What is locked
//
// One lock guards all state. Handlers and timers hold it, for a short time: sending
// puts a message into a queue, and a peer that does not read loses its connection.
// Packets are read from buffers in steps of some 256 KiB, and sent, written to a
// file (by a goroutine of its own) or handed to a function without the lock. So no
// goroutine waits for a consumer that does not read, for a full pipe, or for a disk.
//
// # What a flush has
//
// Each connection is read by a goroutine of its own. What a program sent before a
// consumer asked for a flush, a clone or the end of a session may therefore lie
// unread when that is handled. All three first handle what is in the socket by
// then, even from programs that need not answer or are gone, but not what arrives
// later. They take no longer than a flush, or a stop, may take. Only Linux tells
// what is unread: on other systems it may come too late. When a consumer leaves, or
// the service is closed, sessions end at once.
//
// # Whom it trusts
//
// No peer. The system says which user and process a peer is. A consumer must run as
// this process's user, or as root. A producer reads and writes its own memory only.
// The service copies that memory before it believes anything in it (see package
// smb). A producer's chunks reach only buffers of sessions that set up one of its
// data sources. Its packets may not have the fields that say who wrote them: the
// service adds these. Memory that a producer made must be sealed, so that it cannot
// shrink. [Limits] bound what a producer may have.
package service
