package messages

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/pluginpb"
)

var update = flag.Bool("update", false, "write the generated files instead of comparing them")

// folder is the directory from which the files import each other.
const folder = "tracex/recorder/perfetto/messages/"

// TestGenerated compares the generated files with those that the .proto files give.
// Compiler and generator are libraries, so neither must be on the machine.
func TestGenerated(t *testing.T) {
	want := generate(t)
	if *update {
		for name, content := range want {
			if err := os.WriteFile(name, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	have, err := filepath.Glob("*.pb.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range have {
		if want[name] == nil {
			t.Errorf("%s comes from no .proto file: remove it", name)
		}
	}
	for name, content := range want {
		if old, _ := os.ReadFile(name); !bytes.Equal(old, content) {
			t.Errorf("%s is not what its .proto file gives: run go generate ./recorder/perfetto/messages", name)
		}
	}
}

// generate returns the files that the .proto files give, by name.
func generate(t *testing.T) map[string][]byte {
	t.Helper()
	sources, err := filepath.Glob("*.proto")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no .proto files here: %v", err)
	}
	for i, name := range sources {
		sources[i] = folder + name
	}
	compiler := protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(contents(t, sources)),
		},
		// Comments become those of the Go code.
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), sources...)
	if err != nil {
		t.Fatal(err)
	}

	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: sources,
		Parameter:      proto.String("paths=source_relative"),
	}
	known := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if known[name] {
			return
		}
		known[name] = true
		file := protodesc.ToFileDescriptorProto(files.FindFileByPath(name))
		for _, dependency := range file.Dependency {
			add(dependency) // imported files precede it
		}
		request.ProtoFile = append(request.ProtoFile, file)
	}
	for _, name := range sources {
		add(name)
	}
	return run(t, request)
}

func contents(t *testing.T, sources []string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range sources {
		text, err := os.ReadFile(filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

// run does what protoc-gen-go does.
func run(t *testing.T, request *pluginpb.CodeGeneratorRequest) map[string][]byte {
	t.Helper()
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		t.Fatal(err)
	}
	plugin.SupportedEditionsMinimum = internal_gengo.SupportedEditionsMinimum
	plugin.SupportedEditionsMaximum = internal_gengo.SupportedEditionsMaximum
	for _, file := range plugin.Files {
		if file.Generate {
			internal_gengo.GenerateFile(plugin, file)
		}
	}
	response := plugin.Response()
	if response.Error != nil {
		t.Fatal(*response.Error)
	}
	out := map[string][]byte{fieldNumbers: numbers(t, plugin)}
	for _, file := range response.File {
		out[filepath.Base(file.GetName())] = []byte(file.GetContent())
	}
	return out
}

// fieldNumbers is the file with the numbers of the fields of a trace.
const fieldNumbers = "../../../format/pbfield/fields.pb.go"

// numbers returns the contents of that file.
func numbers(t *testing.T, plugin *protogen.Plugin) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`// Code generated from recorder/perfetto/messages/*.proto. DO NOT EDIT.

// Package pbfield has the numbers of the fields, and the values of the enums, of the messages that a Perfetto trace
// consists of, for code that reads or writes them without the generated messages: TracePacket_Timestamp is the field
// timestamp of a TracePacket.
package pbfield
`)
	enum := func(e *protogen.Enum) {
		fmt.Fprintf(&b, "\n// Values of %s.\nconst (\n", e.GoIdent.GoName)
		for _, v := range e.Values {
			fmt.Fprintf(&b, "%s = %d\n", v.GoIdent.GoName, v.Desc.Number())
		}
		b.WriteString(")\n")
	}
	var message func(m *protogen.Message)
	message = func(m *protogen.Message) {
		if len(m.Fields) > 0 {
			fmt.Fprintf(&b, "\n// Fields of %s.\nconst (\n", m.GoIdent.GoName)
			for _, f := range m.Fields {
				fmt.Fprintf(&b, "%s_%s = %d\n", m.GoIdent.GoName, f.GoName, f.Desc.Number())
			}
			b.WriteString(")\n")
		}
		for _, e := range m.Enums {
			enum(e)
		}
		for _, inner := range m.Messages {
			message(inner)
		}
	}
	for _, name := range []string{"packet.proto", "event.proto", "track.proto"} {
		for _, m := range plugin.FilesByPath[folder+name].Messages {
			message(m)
		}
	}
	for _, e := range plugin.FilesByPath[folder+"config.proto"].Enums {
		enum(e)
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return text
}
