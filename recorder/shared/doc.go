// Package shared records through memory that is shared with a tracing service of Perfetto's
// protocol: the recording becomes packets that outlive the program. The package registers
// itself, as a database/sql driver does:
//
//	import _ "tracex/recorder/shared"
//
// A program that imports it can be recorded by tracex record, and by any service that
// PERFETTO_PRODUCER_SOCK_NAME names, without another change. See recorder.SharedMemory.
package shared
