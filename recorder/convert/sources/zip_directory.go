package sources

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"math"
)

// The directory at the end of a ZIP file tells the size of a file that has none before it. It is read only for that, and only if
// it is in the last part of a file. On disk, do not change.
const (
	zipRecord   = "PK\x01\x02" // of a file in the directory
	zipLocator  = "PK\x06\x07" // of the record that follows here
	zipRecord64 = "PK\x06\x06" // has the size of the directory, if that is large

	zipRecordSize   = 46
	zipRecordPacked = 20
	zipRecordName   = 28 // its size, then those of what follows it
	zipEndSize      = 22
	zipEndDirectory = 12 // the size of the directory
	zipLocatorSize  = 20
	zipRecord64Size = 56
	zipDirectory64  = 40
	zipExtra64      = 1 // sizes of 64 bits

	// zipTail is how much of the end of a file is read, in bytes. The last record may be followed by a comment of 64 KiB.
	zipTail = 1 << 20
)

// seekable is a file whose end can be read before what precedes it.
type seekable interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// zipStoredSize returns the size of a file that is stored in a ZIP file; ok is false if the directory does not tell it.
// Without a directory, as that of a file that was cut short, it is all that follows.
func zipStoredSize(file seekable, name string) (size int64, ok bool) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	tail := make([]byte, min(info.Size(), zipTail))
	if _, err := file.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && err != io.EOF {
		return 0, false
	}
	directory, ok := zipDirectory(tail)
	if !ok {
		return math.MaxInt64, true
	}
	for len(directory) >= zipRecordSize && string(directory[:len(zipRecord)]) == zipRecord {
		sizes := directory[zipRecordName:]
		nameEnd := zipRecordSize + int(binary.LittleEndian.Uint16(sizes))
		extraEnd := nameEnd + int(binary.LittleEndian.Uint16(sizes[2:]))
		end := extraEnd + int(binary.LittleEndian.Uint16(sizes[4:]))
		if end > len(directory) {
			break
		}
		if string(directory[zipRecordSize:nameEnd]) == name {
			return zipSize(binary.LittleEndian.Uint32(directory[zipRecordPacked:]), directory[nameEnd:extraEnd])
		}
		directory = directory[end:]
	}
	return 0, false
}

// zipDirectory returns the directory, as far as it is in the end of a file; ok is false if there is none.
func zipDirectory(tail []byte) (directory []byte, ok bool) {
	at := bytes.LastIndex(tail, []byte(zipEmpty))
	if at < 0 || at+zipEndSize > len(tail) {
		return nil, false
	}
	size, end := uint64(binary.LittleEndian.Uint32(tail[at+zipEndDirectory:])), at
	if large := at - zipLocatorSize - zipRecord64Size; large >= 0 && string(tail[at-zipLocatorSize:][:len(zipLocator)]) == zipLocator && string(tail[large:][:len(zipRecord64)]) == zipRecord64 {
		size, end = binary.LittleEndian.Uint64(tail[large+zipDirectory64:]), large
	}
	if size > uint64(end) {
		return nil, true
	}
	return tail[end-int(size) : end], true
}

// zipSize returns the size of a stored file, which is in the extra fields if it does not fit before them.
func zipSize(packed uint32, extra []byte) (size int64, ok bool) {
	if packed != zipUnknown {
		return int64(packed), true
	}
	const head, large = 4, 8
	for len(extra) >= head {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[head:]; n > len(extra) {
			break
		}
		if id == zipExtra64 && n >= large { // the size unpacked, or else packed: that is the same
			if u := binary.LittleEndian.Uint64(extra); u <= math.MaxInt64 {
				return int64(u), true
			}
			break
		}
		extra = extra[n:]
	}
	return 0, false
}
