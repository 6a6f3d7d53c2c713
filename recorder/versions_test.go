package recorder

import "tracex/recorder/internal/versiontest"

// versions are those that are written.
var versions = []int{22, 27}

// What the tests outside of the package use, too.
var (
	EachVersion     = versiontest.EachVersion
	ErrorText       = versiontest.ErrorText
	WithoutIdentity = versiontest.WithoutIdentity
)
