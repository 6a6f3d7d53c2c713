package perfetto

import "tracex/recorder/internal/perfetto/calls"

// The data sources whose packets become calls. A service that records for a
// conversion requests these.
const (
	TrackEventSource = "track_event" // Perfetto's client libraries
	CallsSource      = calls.Source  // tracex's recorder
)
