package export

import (
	"testing"

	"tracex/format/formattest"
)

// TestMethods: names differ, and methods have their places in the source as far as something that is in them has one.
func TestMethods(t *testing.T) {
	m := methodsOf(opened(t, formattest.Unpack(t, "gson.dump.bin")))
	names := make(map[string]*method)
	for _, x := range m.all {
		if names[x.name] != nil {
			t.Errorf("%s twice", x.name)
		}
		names[x.name] = x
	}
	for name, want := range map[string]method{
		"GsonBuilder.create":  {code: "com.google.gson.GsonBuilder.create", file: "GsonBuilder.java", line: 878},
		"Gson.toJson(Object)": {code: "com.google.gson.Gson.toJson", file: "Gson.java", line: 825},
		"Map.put":             {code: "java.util.Map.put"},
	} {
		got := names[name]
		if want.name = name; got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
