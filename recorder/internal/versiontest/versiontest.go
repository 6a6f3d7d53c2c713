// Package versiontest runs tests for each version of the trace's format.
package versiontest

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// versions are those that are written.
var versions = []int{22, 27}

// variable is recorder.FormatVariable.
const variable = "TRACEX_FORMAT_VERSION"

// EachVersion runs a test for each version, as what is written by all that says
// nothing else, programs that the test starts included. With the race detector, which
// takes long and cares for no version, that is the newest alone.
func EachVersion(t *testing.T, test func(t *testing.T)) {
	each := versions
	if formattest.Race {
		each = versions[len(versions)-1:]
	}
	for _, version := range each {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Setenv(variable, fmt.Sprint(version))
			test(t)
		})
	}
}

// ErrorText is how an error with its text reads in the version that is written,
// but for what tells it from others: see WithoutIdentity.
func ErrorText(typ, message string) string {
	if os.Getenv(variable) == "22" {
		return typ + ": " + message
	}
	return fmt.Sprintf("%s(%q)", typ[strings.LastIndexByte(typ, '.')+1:], message)
}

var identity = regexp.MustCompile(`@\d+\(`)

// WithoutIdentity leaves out what tells errors with a text from others.
func WithoutIdentity(text string) string { return identity.ReplaceAllString(text, "(") }
