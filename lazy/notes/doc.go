// Package notes keeps what people add to a trace, in a file beside it: marks, notes, and where
// the last session was. The trace itself is never changed.
//
// The file trace.bin.notes is JSON Lines in UTF-8. The first line identifies the format and the
// trace, each other one is a mark, a note or the session:
//
//	{"tracex":"notes","version":1,"trace":{"size":81920,"head":"5f2ab1c0","middle":"00c4d7e2"}}
//	{"id":"mark-a","mark":"a","event":1204,"thread":2,"offset":88120,"time":"2026-11-23T04:30:00Z"}
//	{"id":"9f86d081884c7d65","note":"balance below 0","event":1204,"thread":2,"offset":88120,"time":…,"author":"ada"}
//	{"session":{"at":"@2+88120","line":12,"expanded":["@2","@2+9"]},"time":…}
//
// A thread is counted from 1; an offset is logical, as in [lazy.Position], and is left out, like
// the event, if the thread itself is meant. A text is Markdown. On disk, do not change.
//
// Lines that cannot be read and members that are not known are kept as they are. A trace is
// recognized by a [Fingerprint], which fits it even after it has grown.
//
// A [Book] is the file in memory. [Book.Save] merges it with what other programs have written
// meanwhile, by the ids, and replaces the file in one step. Between reading the file and
// replacing it, for some milliseconds, a save of another program can be lost on disk; that
// program still has it in memory.
package notes
