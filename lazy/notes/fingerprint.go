package notes

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// Fingerprint identifies the data of a trace by two samples of it. Data is only ever appended
// to, so the fingerprint fits a trace that has grown since. The sample from the middle tells
// recordings of one program apart, which often begin alike.
type Fingerprint struct {
	Size   int64  `json:"size"`   // of the data when the fingerprint was taken, in bytes
	Head   string `json:"head"`   // CRC-32C of its first bytes
	Middle string `json:"middle"` // of the bytes from Size/2 on
}

// sampled is the size of a sample, in bytes.
const sampled = 4096

// Take returns the fingerprint of a trace, and an error if it has no data.
func Take(trace string) (Fingerprint, error) {
	st, err := os.Stat(trace)
	if err != nil {
		return Fingerprint{}, err
	}
	if st.Size() == 0 {
		return Fingerprint{}, fmt.Errorf("%s is empty", trace)
	}
	return fingerprint(trace, st.Size())
}

// Fits reports whether a trace has the fingerprint. The error is a failure to read it.
func (f Fingerprint) Fits(trace string) (bool, error) {
	st, err := os.Stat(trace)
	switch {
	case err != nil:
		return false, err
	case f.Size <= 0 || st.Size() < f.Size:
		return false, nil
	}
	now, err := fingerprint(trace, f.Size)
	return now == f, err
}

// fingerprint returns the fingerprint of the first size bytes of a trace.
func fingerprint(trace string, size int64) (Fingerprint, error) {
	file, err := os.Open(trace)
	if err != nil {
		return Fingerprint{}, err
	}
	defer file.Close()
	f := Fingerprint{Size: size}
	if f.Head, err = sample(file, 0, size); err == nil {
		f.Middle, err = sample(file, size/2, size)
	}
	return f, err
}

// sample returns the checksum of the bytes from an offset on, but not beyond end.
func sample(file io.ReaderAt, from, end int64) (string, error) {
	b := make([]byte, min(sampled, end-from))
	if _, err := file.ReadAt(b, from); err != nil && err != io.EOF {
		return "", err
	}
	return fmt.Sprintf("%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))), nil
}
