package recordertest

import (
	"bytes"
	"os"

	"tracex/lazy/eager"
	"tracex/recorder"
)

// Text runs f with a recorder into a file and returns the text of the trace.
func Text(path string, c recorder.Config, f func(r *recorder.Recorder)) (string, error) {
	c.Path = path
	r, err := recorder.Start(c)
	if err != nil {
		return "", err
	}
	f(r)
	if err := r.Stop(); err != nil {
		return "", err
	}
	trace, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer trace.Close()
	forest, err := eager.Load(trace)
	if err == nil {
		err = forest.Problem
	}
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = forest.Print(&text, eager.PrintOptions{})
	return text.String(), err
}
