package recorder

import "tracex/recorder/internal/versiontest"

// versions are those that can be written.
var versions = []int{22, 27}

// For the external tests of the package.
var (
	EachVersion     = versiontest.EachVersion
	ErrorText       = versiontest.ErrorText
	WithoutIdentity = versiontest.WithoutIdentity
)
