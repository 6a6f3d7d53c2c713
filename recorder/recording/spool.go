package recording

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// packetTag is the tag of a packet in a Perfetto file: field 1, with a length.
const packetTag = 1<<3 | 2

// Trim opens the spool at the end of its last whole packet, so that more can be appended, and
// cuts off an incomplete packet. If there is no spool it creates one. It returns the number of
// bytes cut.
func (f *Directory) Trim() (spool *os.File, cut int64, err error) {
	spool, err = os.OpenFile(f.Spool(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, err
	}
	whole, size, err := wholePackets(spool)
	if err == nil && whole < size {
		err = spool.Truncate(whole)
	}
	if err == nil {
		_, err = spool.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, 0, errors.Join(err, spool.Close())
	}
	return spool, size - whole, nil
}

// wholePackets returns how many bytes at the start of a file are whole packets, and the file's
// size.
func wholePackets(f *os.File) (whole, size int64, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	size = st.Size()
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 1<<18)
	for whole < size {
		head, err := in.Peek(1 + binary.MaxVarintLen64)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, 0, err
		}
		if head[0] != packetTag {
			return size, size, nil // something else: its reader reports it
		}
		length, n := binary.Uvarint(head[1:])
		if n <= 0 || length > uint64(size-whole-1-int64(n)) {
			return whole, size, nil
		}
		if err := discard(in, 1+int64(n)+int64(length)); err != nil {
			return 0, 0, err
		}
		whole += 1 + int64(n) + int64(length)
	}
	return whole, size, nil
}

func discard(in *bufio.Reader, n int64) error {
	_, err := io.CopyN(io.Discard, in, n)
	return err
}
