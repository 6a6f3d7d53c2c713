// Package producer is a program's side of Perfetto's tracing: it offers data
// sources to a tracing service, is told when sessions want them, and writes their
// packets into memory that it shares with the service.
//
// A program has one [Producer]. What it can record are its [Source]s, each with
// callbacks; for each session that wants one of them there is an [Instance], which
// packets are written through. [Events] is a source of its own: Perfetto's track
// events, for goroutines.
//
//	program                                service
//	  | Start, Register                        |
//	  |--- InitializeConnection, ------------->|
//	  |    RegisterDataSource                  |
//	  |                                        | a session begins
//	  |<-- SetupTracing, with the memory ------|
//	  |<-- SetupDataSource --------------------|   Source.SetUp
//	  |<-- StartDataSource --------------------|   Source.Start
//	  |--- NotifyDataSourceStarted ----------->|
//	  | Instance.Write, Instance.Use           |
//	  |=== chunks in the memory ==============>|
//	  |--- CommitData: these are complete ---->|
//	  |<-- Flush ------------------------------|   Source.Flush
//	  |--- CommitData, with the flush's id --->|
//	  |<-- ClearIncrementalState --------------|   Source.Clear
//	  |<-- StopDataSource ---------------------|   Source.Stop
//	  |--- CommitData, NotifyDataSourceStopped>|
//
// # What can be relied on
//
// Nothing here waits for the service, except where it says so, or ends the
// program. A service that is not there is looked for again and again, with pauses
// of up to two seconds; one that is lost is too: instances stop, and what is written
// to them goes nowhere. When a service comes, all sources are registered with it.
// What an old service lacks, a method or a field, is done without.
//
// A packet that was written outlives the program, however that ends, once the
// service has heard of its writer: that goes on the way with the first packet.
//
// # Goroutines
//
// There are the two of the connection and one that commits, or one that looks for
// a service; and one as long as OnError is told of a writer's loss. Callbacks run in
// the one that reads.
//
// # Memory
//
// The service makes it, by default when the first session begins. With
// [Options.StartUp] the program does, and can write before the service has answered:
// see [DataSource.StartUp]. Over TCP nothing can be shared: chunks travel inside the
// commits. A service's memory must be sealed against shrinking, or let itself be:
// the program would die of a write behind its end.
package producer
