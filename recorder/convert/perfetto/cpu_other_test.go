//go:build !linux

package perfetto

func cpuSeconds() float64 { return 0 }
func peakMiB() float64    { return 0 }
