package recorder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"tracex/recorder/internal/versiontest"
)

// coded is an error type of the program.
type coded struct{ Code int }

func (f *coded) Error() string { return fmt.Sprint("code ", f.Code) }

// textual has values that are shown as texts, in exported and unexported fields.
type textual struct {
	Err   error
	err   error
	at    time.Time
	took  time.Duration
	body  []byte
	inner struct{ err any }
	all   map[string]error
}

// What Of shows as a text Capture does too, also within other values.
func TestCaptureTexts(t *testing.T) { versiontest.EachVersion(t, testCaptureTexts) }

func testCaptureTexts(t *testing.T) {
	const pkg = "tracex/recorder."
	at := time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)
	wrapped := fmt.Errorf("reading: %w", &fs.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT})
	full := textual{Err: io.EOF, err: wrapped, at: at, took: 1500 * time.Millisecond, body: []byte("GET /"),
		all: map[string]error{"own": &coded{7}, "theirs": errors.New("no")}}
	full.inner.err = io.ErrUnexpectedEOF
	for _, c := range []struct {
		config Config
		value  any
		want   string
	}{
		{value: io.EOF, want: "errors.errorString: EOF"},
		{value: wrapped, want: "fmt.wrapError: reading: open /x: no such file or directory"},
		{value: syscall.ENOENT, want: "syscall.Errno: no such file or directory"},
		{value: &coded{7}, want: pkg + "coded{Code: 7}"},
		{value: &coded{7}, config: Config{CallMethods: true}, want: "recorder.coded: code 7"},
		{value: (*coded)(nil), config: Config{CallMethods: true}, want: "null"},
		{value: at, want: "2024-05-06T07:08:09.00000001Z"},
		{value: &at, want: "2024-05-06T07:08:09.00000001Z"},
		{value: time.Second, want: "1s"},
		{value: []byte("text"), want: `[]byte("text")`},
		{value: []byte{0x89, 0x50}, want: "[]byte(0x8950)"},
		{value: []byte(nil), want: "null"},
		{value: [2]byte{1, 2}, want: "[2]uint8(2){1, 2}"},
		{value: []error{nil, io.EOF}, want: "[]error(2){null, errors.errorString: EOF}"},
		{value: []any{full}, want: "[]interface(1){" + pkg + "textual{TEXTS}}"},
		{value: full, want: pkg + "textual{TEXTS}"},
		{value: &full, want: pkg + "textual{TEXTS}"},
	} {
		c.config.MaxString, c.config.CaptureDepth = 200, 5
		ctx, found := captured(t, c.config, c.value)
		want := strings.Replace(c.want, "TEXTS", `Err: errors.errorString: EOF, err: fmt.wrapError: reading: open /x: no such file or directory, `+
			`at: 2024-05-06T07:08:09.00000001Z, took: 1.5s, body: []byte("GET /"), inner: struct{err: errors.errorString: unexpected EOF}, `+
			`all: map[string]error{len: 2, own: `+pkg+`coded{Code: 7}, theirs: errors.errorString: no}`, 1)
		if got := described(ctx, &found[0]); got != want {
			t.Errorf("%T: %s, want %s", c.value, got, want)
		}
	}
}

// Bytes are captured as they are at that moment, like everything else.
func TestCaptureBytesAtOnce(t *testing.T) {
	r := start(t, Config{})
	b := []byte("before")
	v := r.Capture(b)
	copy(b, "behind")
	if got := string(r.appendValue(nil, &v)); got != `[]byte("before")` {
		t.Errorf("captured %s", got)
	}
}
