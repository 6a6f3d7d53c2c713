// Package producer is a program's side of Perfetto's tracing: it offers data sources
// to a tracing service, learns from the service when sessions want them, and writes
// their packets into memory shared with the service.
//
// A program has one [Producer]. Each [DataSource] is a source that the program can
// record, with callbacks; for each session that wants it there is an [Instance],
// through which packets are written. [Events] is a ready-made source: Perfetto's
// track events, for goroutines.
//
//	program                                service
//	  | Start, Register                        |
//	  |--- InitializeConnection, ------------->|
//	  |    RegisterDataSource                  |
//	  |                                        | a session begins
//	  |<-- SetupTracing, with the memory ------|
//	  |<-- SetupDataSource --------------------|   spec.SetUp
//	  |<-- StartDataSource --------------------|   spec.Start
//	  |--- NotifyDataSourceStarted ----------->|
//	  | Instance.Write, Instance.Use           |
//	  |=== chunks in the memory ==============>|
//	  |--- CommitData: these are complete ---->|
//	  |<-- Flush ------------------------------|   spec.Flush
//	  |--- CommitData, with the flush's id --->|
//	  |<-- ClearIncrementalState --------------|   spec.Clear
//	  |<-- StopDataSource ---------------------|   spec.Stop
//	  |--- CommitData, NotifyDataSourceStopped>|
//
// # Guarantees
//
// Nothing here waits for the service, except where documented, or ends the program.
// If there is no service, the Producer tries to connect again and again, with pauses
// of up to two seconds; it does the same when the connection is lost: instances then
// stop, and what is written to them is dropped. On each new connection all sources
// are registered. Methods and fields that an old service lacks are not used.
//
// Once the service knows a packet's writer, the packet survives the end of the
// program, however it ends. The writer's registration is sent with its first packet.
//
// # Goroutines
//
// The connection has two goroutines and one that commits; without a connection there
// is one that tries to connect. Another one runs while OnError is told of a writer's
// loss. Callbacks run in the goroutine that reads.
//
// # Names
//
// The service that programs bind on the socket is called ProducerPort; the one for
// consumers, on a socket of its own, ConsumerPort. An address is a path, an abstract
// name after an @, or host:port; several are separated by commas, and the first that
// accepts is used. Packets are messages of the type [messages.TracePacket], which an
// Instance takes encoded.
//
// # Memory
//
// The file of the shared memory comes with SetupTracing, an answer to the request
// GetAsyncCommand, and not with the answer to InitializeConnection. Memory that the
// program has made goes to the service with InitializeConnection.
//
// The service makes the shared memory, by default when the first session begins.
// With [Options.StartUp] the program makes it, and can write before the service has
// answered: see [DataSource.StartUp]. Over TCP no memory can be shared: chunks
// travel inside the commits. A service's memory must be sealed against shrinking, or
// be sealable: otherwise a write beyond its end could kill the program.
package producer
