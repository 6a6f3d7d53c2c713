//go:build !linux

package convert

func cpuSeconds() float64 { return 0 }
func peakMiB() float64    { return 0 }
