// Package messages has the messages of Perfetto's protocol that a producer, a service,
// a consumer or a reader of traces needs: configs ([TraceConfig], [DataSourceConfig]),
// packets with their contents ([TracePacket], [TrackEvent], [TrackDescriptor]),
// descriptors of data sources, and the frames, requests and replies of the sockets. A
// program that writes packets of its own encodes a TracePacket with
// [google.golang.org/protobuf/proto.Marshal]; one that records with its own config
// makes a TraceConfig.
//
// The .proto files are our own; numbers and types of fields are those of the
// protocol and never change. They have only the fields that are used here: all
// others that a peer sends are kept as unknown fields, and are passed on with the
// message. Presence counts: every field distinguishes absent from zero, and an
// absent setting takes the receiver's default.
//
// Our package and files have names of their own, so that a program that uses
// another binding of Perfetto's messages can link this one too.
//
// # Generated code
//
// All *.pb.go files are generated from the .proto files beside them, and so is package pbfield, which has the numbers
// alone. After a change:
//
//	go generate ./recorder/perfetto/messages
//
// This needs only Go. A test fails while they differ.
package messages

//go:generate go test -count=1 -run ^TestGenerated$ . -update
