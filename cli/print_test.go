//go:build unix

package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder"
)

// TestPrintCaptured: captured values are printed, from the recording to the command.
func TestPrintCaptured(t *testing.T) {
	type node struct {
		Key  string
		Next *node
	}
	path := filepath.Join(t.TempDir(), "trace.bin")
	rec, err := recorder.Start(recorder.Config{Path: path, Strategy: recorder.Streaming})
	if err != nil {
		t.Fatal(err)
	}
	th := rec.Thread("main")
	put := rec.Method(rec.Class("shop"), "put", recorder.Type{})
	th.Enter(put, 0, recorder.Null(), rec.Capture(&node{"1", &node{"two", nil}}), rec.Capture([]int{4, 5}), recorder.Int(1))
	th.Exit(recorder.String("1"))
	if err := rec.Stop(); err != nil {
		t.Fatal(err)
	}
	printed := func(flags ...string) string {
		t.Helper()
		cmd, stderr, _ := command(t, append(append([]string{"print"}, flags...), path)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		return string(out)
	}
	if lines := strings.Count(printed(), "\n"); lines != 2 {
		t.Errorf("%d lines without --values", lines)
	}
	values := printed("--values")
	for _, want := range []string{"  | argument 1 = ", "  |   .Key = \"1\"\n", "  |     .Key = \"two\"\n", "  | argument 2 = ", "  |   [1] = 5\n"} {
		if !strings.Contains(values, want) {
			t.Errorf("no %q in\n%s", want, values)
		}
	}
	type value struct {
		Name, Type string
		Value      any
		Fields     []value
		Elements   []value
	}
	var call struct {
		Method string
		Args   []value
		Result value
	}
	lines := strings.Split(strings.TrimSpace(printed("--json", "--event", "0")), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &call); err != nil {
		t.Fatal(err)
	}
	first, second, third := call.Args[0], call.Args[1], call.Args[2]
	key, next := first.Fields[0], first.Fields[1]
	if key.Name != "Key" || key.Type != "string" || key.Value != "1" || next.Name != "Next" || next.Fields[0].Value != "two" {
		t.Errorf("the node is %+v", first)
	}
	if len(second.Elements) != 2 || second.Elements[1].Value != 5.0 {
		t.Errorf("the slice is %+v", second)
	}
	if third.Value != 1.0 || third.Type == "string" || call.Result.Type != "string" || call.Result.Value != "1" || call.Method != "put" {
		t.Errorf("the call is %+v", call)
	}
}
