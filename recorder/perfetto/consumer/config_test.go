package consumer

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// TestParseConfig: a config is taken as text and encoded, encoded also with fields that are not known here; what is
// neither, or names a field that is not known, is refused with the place.
func TestParseConfig(t *testing.T) {
	const text = "# a session\nduration_ms: 500\nbuffers { size_kb: 1024 }\ndata_sources { config { name: \"track_event\" } }\n"
	c, err := ParseConfig([]byte(text))
	if err != nil || c.GetDurationMs() != 500 || c.GetDataSources()[0].GetConfig().GetName() != "track_event" {
		t.Fatal(c, err)
	}
	b, err := proto.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	const unknown = 100_000
	b = protowire.AppendString(protowire.AppendTag(b, unknown, protowire.BytesType), "of another version")
	again, err := ParseConfig(b)
	if err != nil || again.GetDurationMs() != 500 || !strings.Contains(string(again.ProtoReflect().GetUnknown()), "of another version") {
		t.Errorf("encoded: %v, %v", again, err)
	}
	for in, want := range map[string]string{
		"duration_ms: 5\nnothing_known { x: 1 }": "nothing_known",
		"duration_ms: soon":                      "line 1",
		"\x08\xff":                               "neither text nor an encoded message",
	} {
		if _, err := ParseConfig([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", in, err)
		}
	}
}
