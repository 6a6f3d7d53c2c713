package live

import "os"

func fill(f *os.File, from, size int64) error {
	zeros := make([]byte, min(size, 1<<16))
	for at := int64(0); at < size; {
		n, err := f.WriteAt(zeros[:min(size-at, int64(len(zeros)))], from+at)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}
