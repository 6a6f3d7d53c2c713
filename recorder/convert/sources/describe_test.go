package sources

import (
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		head, want string
		known      bool
	}{
		{"", "the file is empty", false},
		{"\x7fELF\x02\x01\x01", "an ELF program or library", true},
		{"  <!DOCTYPE html>\n<html>", "an HTML page", true},
		{"<?xml version='1.0'?>", "XML", true},
		{"PAR1\x15\x04", "a Parquet file", true},
		{"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04", "a pprof profile: samples, no calls", true},
		{"main;f;g 12\nmain;f 3\n", "folded stacks: samples, no calls", true},
		{"{main} 9\n{main};f 12\r\n{main};f;g", "folded stacks: samples, no calls", true},
		{"main 9\nf 12\n", "text", false},
		{"{\"a;b\": 12\n}", `JSON with the keys "a;b"`, true},
		{"[\"a;b\", 12\n]", "a JSON array", true},
		{"\xff\xfe\x00\x00{\x00\x00\x00", "text in UTF-32", true},
		{"some text; with 12 words\n", `text ("some text; with 12 words"…)`, false},
		{`{"nodes":[{"id":1}],"startTime":1,"timeDeltas":[1]}`, "a CPU profile of V8: samples, no calls", true},
		{`{"meta":{"a":[1,{"b":2}]},"libs":[],"threads":[`, "a profile of the Firefox profiler: samples, no calls", true},
		{"\xef\xbb\xbf {\"a\": {\"x\": \"y\"}, \"b\": \"c\", \"d\": null, \"e\": [1, \"s\"], \"f\": true", `JSON with the keys "a", "b", "d", "e", "f"`, true},
		{`{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1}`, `JSON with the keys "1", "2", "3", "4", "5", …`, true},
		{`[{"a":1,"b":"x"},{"c":1}]`, `a JSON array with the keys "a", "b"`, true},
		{`[["a","b","c"]]`, "a JSON array", true},
		{`[1,2,3]`, "a JSON array", true},
		{"{", "JSON", true},
		{"{]", "JSON", true},
		{"{\"" + strings.Repeat("k", 100), "JSON", true},
		{"\x00\x01\x02", "bytes 000102", false},
	} {
		got, known := Describe([]byte(c.head))
		if !strings.HasPrefix(got, c.want) || known != c.known {
			t.Errorf("%q: %q, %v; want %q, %v", c.head, got, known, c.want, c.known)
		}
	}
}

func TestIsText(t *testing.T) {
	if !IsText([]byte("\n[{\t\"ü\": 1}]\r\n")) || IsText([]byte("\n\x02ab")) || IsText([]byte("\n\x7f")) {
		t.Error("it is not what is text")
	}
}
