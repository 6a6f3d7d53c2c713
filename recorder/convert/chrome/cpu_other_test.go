//go:build !linux

package chrome_test

func cpuSeconds() float64 { return 0 }
func peakMiB() float64    { return 0 }
