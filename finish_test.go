package main

import (
	"os"
	"os/exec"

	"github.com/rogpeppe/go-internal/testscript"

	"tracex/recorder"
)

// crashVariable makes the test binary a program that records into the file it
// names, and ends in the middle.
const crashVariable = "TRACEX_TEST_CRASH"

func crash(path string) {
	r, err := recorder.Start(recorder.Config{Path: path})
	if err != nil {
		panic(err)
	}
	t := r.Thread("main")
	class := r.Class("shop.Order")
	outer, inner := r.Method(class, "ship", recorder.Type{}), r.Method(class, "weigh", recorder.Type{})
	t.Enter(outer, 0, recorder.Null())
	for i := range 1000 {
		t.Enter(inner, 0, recorder.Null(), recorder.Int(i))
		t.Exit(recorder.Int(i * i))
	}
	os.Exit(3)
}

// crashed leaves a trace whose program did not end it.
func crashed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: crashed FILE")
	}
	self, err := os.Executable()
	ts.Check(err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), crashVariable+"="+ts.MkAbs(args[0]))
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 {
		ts.Fatalf("the program ended with %v: %s", cmd.ProcessState, out)
	}
}
