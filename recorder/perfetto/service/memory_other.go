//go:build !linux

package service

import (
	"errors"
	"os"
)

// Only Linux has memory that cannot shrink. Elsewhere producers send their chunks
// through the socket.
const memoryShared = false

var errNoMemory = errors.New("this system cannot share sealed memory")

func makeMemory(int) ([]byte, *os.File, error)           { return nil, nil, errNoMemory }
func makeMemoryAt(string, int) ([]byte, *os.File, error) { return nil, nil, errNoMemory }
func roomy(string) bool                                  { return true }
func mostFile() int                                      { return maxMemory }
func sealedSize(*os.File) (int64, error)                 { return 0, errNoMemory }
func mapShared(*os.File, int) ([]byte, error)            { return nil, errNoMemory }
func unmap([]byte)                                       {}
