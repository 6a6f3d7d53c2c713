// Package messages holds the messages of Perfetto's protocol that a producer,
// a service or a reader of traces needs: the frames of its sockets, the
// requests and replies of its two services, configurations, and packets with
// what they hold.
//
// The .proto files are our own; numbers and types of fields are those of the
// protocol and never change. Only what is used here is in them: what else a
// peer sends is kept as unknown fields, and goes along when a message is passed
// on. Presence counts: every field tells absent from zero, and a setting that
// is absent takes the receiver's default.
//
// Our package and files have names of their own, so that a program that uses
// another binding of Perfetto's messages can link this one too.
//
// # Generated code
//
// All *.pb.go files come from the .proto files beside them. After a change:
//
//	go generate ./recorder/internal/perfetto/messages
//
// This needs Go alone. A test fails while they differ.
package messages

//go:generate go test -count=1 -run ^TestGenerated$ . -update
