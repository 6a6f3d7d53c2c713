//go:build !race

package smb

const raceEnabled = false
