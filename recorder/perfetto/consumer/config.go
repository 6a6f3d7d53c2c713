package consumer

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// ParseConfig parses a config as the command perfetto takes it: a
// [messages.TraceConfig] in protobuf's text format, or encoded. A text may name the fields of
// [messages.TraceConfig]; an encoded config may have others too, which a service gets.
func ParseConfig(b []byte) (*messages.TraceConfig, error) {
	config := new(messages.TraceConfig)
	if isText(b) {
		if err := prototext.Unmarshal(b, config); err != nil {
			return nil, fmt.Errorf("trace config: %w", err)
		}
		return config, nil
	}
	if err := proto.Unmarshal(b, config); err != nil {
		return nil, fmt.Errorf("trace config: neither text nor an encoded message: %w", err)
	}
	return config, nil
}

// isText tells a text from an encoded message: that has tags and lengths, small numbers
// that are control characters.
func isText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
}
