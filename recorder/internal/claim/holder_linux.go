package claim

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// holder returns the process that holds the lock of a file; 0 if unknown. The system lists its
// locks, in lines such as
//
//	1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF
//
// with the process, the device and the inode number of the file. The device may differ from the
// file's own: on a file system that spans several devices.
func holder(path string) (pid int) {
	var file unix.Stat_t
	if unix.Lstat(path, &file) != nil {
		return 0
	}
	list, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	number := fmt.Appendf(nil, ":%d", file.Ino)
	for line := range bytes.Lines(list) {
		fields := bytes.Fields(line)
		if len(fields) < 6 || string(fields[1]) != "FLOCK" || !bytes.HasSuffix(fields[5], number) {
			continue
		}
		n, err := strconv.Atoi(string(fields[4]))
		if err != nil || pid != 0 && n != pid {
			return 0 // two files have the number
		}
		pid = n
	}
	return max(pid, 0)
}
