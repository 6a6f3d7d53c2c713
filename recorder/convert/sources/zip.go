package sources

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"

	"tracex/format"
)

// A ZIP file with one file in it is read from its beginning to its end, as one of gzip is: a local header, the data, perhaps
// a descriptor with their size, and so on until the directory at the end. On disk, do not change.
const (
	zipEntry      = "PK\x03\x04"
	zipDescriptor = "PK\x07\x08"
	zipEmpty      = "PK\x05\x06" // the directory, of a ZIP file of nothing

	zipHeaderSize = 30
	zipFlagsAt    = 6
	zipMethodAt   = 8
	zipSumAt      = 14
	zipPackedAt   = 18
	zipNameAt     = 26 // its size
	zipExtraAt    = 28 // the size of what follows the name

	zipEncrypted = 1 << 0
	zipSizeAfter = 1 << 3 // sizes are in the descriptor
	zipStored    = 0
	zipDeflated  = 8
	zipUnknown   = 1<<32 - 1 // the size is elsewhere
)

// zipped reads the one file of a ZIP file.
type zipped struct {
	in   *bufio.Reader
	file seekable  // nil if only what follows can be read
	from io.Reader // of the file, unpacked; nil at its end
	sum  hash.Hash32
	want uint32 // the sum
	late bool   // it is in the descriptor
	main bool   // the file is the one that is read
}

// isZipped reports whether a file begins like a ZIP file that is no packed trace.
func isZipped(head []byte) bool {
	name, ok := zipName(head)
	return bytes.HasPrefix(head, []byte(zipEmpty)) || ok && !format.IsPackEntry(name)
}

// zipName returns the name of the file whose header is at the beginning of head.
func zipName(head []byte) (name string, ok bool) {
	if len(head) < zipHeaderSize || string(head[:len(zipEntry)]) != zipEntry {
		return "", false
	}
	size := int(binary.LittleEndian.Uint16(head[zipNameAt:]))
	if len(head) < zipHeaderSize+size {
		return "", false
	}
	return string(head[zipHeaderSize : zipHeaderSize+size]), true
}

// beside reports whether a file of a ZIP file is a folder, or what macOS adds.
func beside(name string) bool {
	return strings.HasSuffix(name, "/") || strings.HasPrefix(name, "__MACOSX/") || path.Base(name) == ".DS_Store"
}

func openZipped(in *bufio.Reader, file seekable) (io.Reader, error) {
	z := &zipped{in: in, file: file}
	for {
		name, err := z.enter()
		switch {
		case err != nil:
			return nil, err
		case name == "":
			return nil, &format.Error{Offset: -1, Err: format.ErrNotTrace, Found: "a ZIP file without files"}
		case !beside(name):
			z.main = true
			return z, nil
		}
		if _, err := io.Copy(io.Discard, z); err != nil {
			return nil, err
		}
	}
}

// enter begins the next file and returns its name; "" if there is none.
func (z *zipped) enter() (name string, err error) {
	head, err := z.in.Peek(zipHeaderSize)
	switch {
	case len(head) >= len(zipEntry) && string(head[:len(zipEntry)]) != zipEntry:
		return "", nil // the directory
	case err != nil:
		return "", cutShort(err)
	}
	flags, method := binary.LittleEndian.Uint16(head[zipFlagsAt:]), binary.LittleEndian.Uint16(head[zipMethodAt:])
	packed := binary.LittleEndian.Uint32(head[zipPackedAt:])
	z.want, z.late, z.sum = binary.LittleEndian.Uint32(head[zipSumAt:]), flags&zipSizeAfter != 0, crc32.NewIEEE()
	extraSize := int(binary.LittleEndian.Uint16(head[zipExtraAt:]))
	whole, err := z.in.Peek(zipHeaderSize + int(binary.LittleEndian.Uint16(head[zipNameAt:])))
	if err != nil {
		return "", cutShort(err)
	}
	name, _ = zipName(whole)
	if _, err = z.in.Discard(len(whole)); err != nil {
		return "", cutShort(err)
	}
	extra, err := z.in.Peek(extraSize)
	if err != nil {
		return "", cutShort(err)
	}
	switch {
	case flags&zipEncrypted != 0:
		return "", unreadable(name, "needs a password", unpackIt)
	case method == zipStored:
		size, err := z.storedSize(name, packed, extra)
		if err != nil {
			return "", err
		}
		z.from = &exactly{io.LimitedReader{R: z.in, N: size}}
	case method == zipDeflated:
		z.from = flate.NewReader(z.in)
	default:
		return "", unreadable(name, fmt.Sprintf("is compressed by method %d", method), unpackIt)
	}
	_, err = z.in.Discard(extraSize)
	return name, cutShort(err)
}

// storedSize returns the size of the file that begins, which is not compressed.
func (z *zipped) storedSize(name string, packed uint32, extra []byte) (int64, error) {
	if !z.late {
		if size, ok := zipSize(packed, extra); ok {
			return size, nil
		}
		return 0, unreadable(name, "is stored without its size", unpackIt)
	}
	if z.file == nil {
		return 0, unreadable(name, "is stored without its size before it", "give the ZIP file itself, neither through a pipe nor compressed once more; or unpack it")
	}
	if size, ok := zipStoredSize(z.file, name); ok {
		return size, nil
	}
	return 0, unreadable(name, "is stored without its size before it, and not in the directory at the end", unpackIt)
}

const unpackIt = "unpack it, and give the file"

// unreadable tells of a file that is sound and can be read by others.
func unreadable(name, why, hint string) error {
	return &format.Error{Offset: -1, Err: format.ErrNotTrace, Found: fmt.Sprintf("a ZIP file whose file %.60q %s", name, why), Hint: hint}
}

func (z *zipped) Read(b []byte) (int, error) {
	if z.from == nil {
		return 0, io.EOF
	}
	n, err := z.from.Read(b)
	z.sum.Write(b[:n]) // cannot fail
	if err != io.EOF {
		return n, err
	}
	z.from = nil
	if err := z.leave(); err != nil {
		return n, err
	}
	return n, io.EOF
}

// leave checks what follows a file.
func (z *zipped) leave() error {
	if z.late {
		const signed, sum = len(zipDescriptor), 4
		head, err := z.in.Peek(signed + sum)
		if err != nil {
			return cutShort(err)
		}
		if string(head[:signed]) == zipDescriptor {
			head = head[signed:]
		}
		z.want = binary.LittleEndian.Uint32(head)
	}
	if z.sum.Sum32() != z.want {
		return errors.New("their checksum is wrong")
	}
	switch {
	case z.main:
		return z.others()
	case z.late:
		return z.skipDescriptor()
	}
	return nil
}

// skipDescriptor skips what follows the data of a file: perhaps a mark, its sum, and two sizes of 32 or 64 bits.
func (z *zipped) skipDescriptor() error {
	const mark, most = "PK", len(zipDescriptor) + 4 + 2*8
	head, _ := z.in.Peek(most + len(mark)) // or the end
	least := 4 + 2*4
	if bytes.HasPrefix(head, []byte(zipDescriptor)) {
		least += len(zipDescriptor)
	}
	for _, size := range []int{least, least + 2*4} {
		if size <= len(head) && bytes.HasPrefix(head[size:], []byte(mark)) {
			_, err := z.in.Discard(size)
			return err
		}
	}
	return errors.New("what follows a file is not known")
}

// others fails if another file follows. What precedes it is a descriptor, or nothing.
func (z *zipped) others() error {
	const most = 64
	head, _ := z.in.Peek(most + zipHeaderSize + 1<<10) // or the end
	at := bytes.Index(head, []byte(zipEntry))
	if at < 0 || at > most {
		return nil // the directory follows
	}
	if name, ok := zipName(head[at:]); ok && !beside(name) {
		return fmt.Errorf("there is a second file %.60q, which is not read: unpack them", name)
	}
	return nil
}

// exactly reads so many bytes.
type exactly struct{ io.LimitedReader }

func (e *exactly) Read(b []byte) (int, error) {
	n, err := e.LimitedReader.Read(b)
	if err == io.EOF && e.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

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
