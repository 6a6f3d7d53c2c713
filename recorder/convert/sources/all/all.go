// Package all lists the sources.
package all

import (
	"tracex/recorder/convert/appmap"
	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/gotrace"
	"tracex/recorder/convert/jaeger"
	"tracex/recorder/convert/otlp"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/uftrace"
	"tracex/recorder/convert/xdebug"
)

// Sources are those that there are. The kind of a file is that of the first that recognizes it.
var Sources = []sources.Source{
	gotrace.Source, xdebug.Source, appmap.Source, otlp.Source, jaeger.Source, chrome.Source, uftrace.Source,
}
