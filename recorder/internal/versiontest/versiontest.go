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

// Versions are those that can be written.
var Versions = []int{22, 27}

// variable is recorder.FormatVariable.
const variable = "TRACEX_FORMAT_VERSION"

// EachVersion runs a test for each version, as the default version to write, also in programs
// that the test starts. With the race detector, which takes long and does not depend on the
// version, it runs it only for the newest.
func EachVersion(t *testing.T, test func(t *testing.T)) {
	each := Versions
	if formattest.Race {
		each = Versions[len(Versions)-1:]
	}
	for _, version := range each {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Setenv(variable, fmt.Sprint(version))
			test(t)
		})
	}
}

// ErrorText returns the text of an error in the version that is written, except its identity:
// see WithoutIdentity.
func ErrorText(typ, message string) string {
	if os.Getenv(variable) == "22" {
		return typ + ": " + message
	}
	return fmt.Sprintf("%s(%q)", typ[strings.LastIndexByte(typ, '.')+1:], message)
}

var identity = regexp.MustCompile(`@\d+\(`)

// WithoutIdentity removes the identities of errors from a text.
func WithoutIdentity(text string) string { return identity.ReplaceAllString(text, "(") }
