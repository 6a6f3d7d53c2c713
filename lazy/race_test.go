//go:build race

package lazy

const raceDetector = true
