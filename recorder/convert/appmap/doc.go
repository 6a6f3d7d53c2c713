// Package appmap converts AppMap files (specification 1.0 to 1.13), which recorders for Ruby, Python, Java
// and Node write.
//
//	events: call, return       a call; its place is that of the method, which is what the file has
//	defined_class, method_id   class and method
//	receiver                   the receiver, unless the method is static
//	parameters, message        arguments
//	parent_id                  the call that a return ends; the returns may be in any order. Without it, as early recorders for Java
//	                           wrote, that is the innermost call of the thread
//	return_value               the result
//	exceptions                 a throw, by which the call ended; the causes are lines of its stack
//	sql_query                  SQL.query(sql ➜ …, database ➜ …)
//	http_server_request        HTTP.GET /owners/{id}(path ➜ …, headers ➜ …); the status is the result
//	http_client_request        HTTP client.GET(url ➜ …, headers ➜ …); as above
//	message alone              message.receive
//	thread_id                  a thread; its name has that of the recording
//	eventUpdates               used in place of the events; a file is read twice for them, and what comes through a pipe is kept
//
// The class map is left out: events have all that a trace has room for. So are labels, the sources
// of methods, and the time that the recorder needed itself (elapsed_instrumentation). Other fields that have no
// place in a call are counted.
//
// # Values
//
// Recorders describe values by a text and the name of the class. Numbers, booleans, strings and nothing
// become values of these kinds where the class says so. Quotes around a string are removed, as some recorders
// have them and others do not. Other objects keep class, identity and text; lists and maps only the text.
//
// # Times
//
// Most recorders tell how long a call took, not when it began. So durations are as recorded, and moments are
// made up from the order of the events: a call begins where the call before it ended, or else with its
// caller, and a caller has the rest of its time at its end:
//
//	recorded                     shown
//	a  calls b and c, 10 ms      a ├─────────────────┤
//	b  3 ms                      b ├────┤
//	c  4 ms                      c       ├──────┤
//
// So total and self times are right, and only gaps between calls are not. The first call of a thread, or one that
// follows another outside of all, begins not before what the file has before it, in any thread. A caller that
// took less time than the calls inside it (which ran at once, or were measured with less overhead) is
// lengthened, and counted; one whose return tells no time lasts as long as those inside it, and is counted, too. Where events
// have timestamps, calls begin there.
package appmap
