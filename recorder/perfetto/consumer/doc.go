// Package consumer is the side of Perfetto's tracing that records: it connects to a
// tracing service, such as Perfetto's traced or package service of this module in
// another process, starts sessions, and reads what they recorded.
//
//	consumer                                  service
//	  | Connect                                  |
//	  |--- BindService{"ConsumerPort"} --------->|
//	  | Start                                    |
//	  |--- EnableTracing{TraceConfig} ---------->|   data sources start in programs
//	  |<-- ObservableEvents ---------------------|   Session.Started
//	  |--- Flush ------------------------------->|   programs commit what they have
//	  |--- DisableTracing ---------------------->|   data sources stop
//	  |<-- EnableTracingResponse ----------------|   Session.Wait
//	  | Read                                     |
//	  |--- ReadBuffers ------------------------->|
//	  |<-- slices of packets, a stream ----------|
//	  |--- FreeBuffers ------------------------->|   Session.Free
//
// A connection has one session at a time. The session ends with the connection,
// unless it is left with [Session.Detach]; another connection of the same user can
// then continue it with [Consumer.Attach]. [Consumer.Clone] makes a copy of a session
// of any connection, for reading, while that continues.
//
// # The config
//
// A [messages.TraceConfig] says how large the buffers are, which data sources are
// recorded, each with its own config, and when the session ends. [ParseConfig] reads
// one as the command perfetto does. Fields that the messages of this module do not
// know reach the service, too.
//
// # Reading
//
// [Session.Read] passes packets on as they arrive, of up to 64 MiB each. A service
// forgets what it has sent, so what a Read does not take is lost. A service ends the
// connection if nothing is read for some time, ten seconds with Perfetto's: a function
// that needs longer for a packet should pass it to another goroutine.
//
// # Names
//
// The service that consumers bind is called ConsumerPort, the one for programs
// ProducerPort. The address of a socket is a path, an abstract name after an @, or
// host:port; several are separated by commas, and the first that accepts is used. The
// file of a session with write_into_file is passed over the Unix socket, beside the
// request EnableTracing. The shared memory of programs does not concern consumers: a
// service sends it to each program with its command SetupTracing.
package consumer
