package cli

import (
	"context"
	"errors"
	"io"
)

// openGrowing is open for a trace that is to be followed: of a pipe, nothing is
// copied yet.
func (a *app) openGrowing(ctx context.Context, arg string) (*input, error) {
	in, from, err := a.find(ctx, arg)
	if err != nil || from == nil {
		return in, err
	}
	in.from = from
	if in.to, err = in.create(); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// spool copies in the background what openGrowing left, and calls then at the
// end.
func (in *input) spool(then func()) {
	if in.from == nil {
		return
	}
	in.came = make(chan error, 1)
	go func() {
		_, err := io.Copy(in.to, in.from)
		in.came <- errors.Join(err, in.to.Close())
		then()
	}()
}

// fault is what went wrong when the input was copied in the background, as far
// as it is known now.
func (in *input) fault() error {
	select {
	case err := <-in.came:
		return spoolHint(err, in.path)
	default:
		return nil
	}
}
