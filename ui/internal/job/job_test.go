package job

import "testing"

func TestJob(t *testing.T) {
	var j Job
	if j.Running() || j.Stop() || j.End(0) {
		t.Error("there is a job from the start")
	}
	first, id := j.Begin(t.Context(), "looking")
	if !j.Running() || j.Text() != "looking" {
		t.Errorf("%q", j.Text())
	}
	second, id2, report := j.BeginRows(t.Context(), "expanding")
	if first.Err() == nil || second.Err() != nil || j.End(id) {
		t.Error("the job before continues")
	}
	if report(1234); j.Text() != "expanding 1,234 rows" {
		t.Errorf("%q", j.Text())
	}
	if !j.End(id2) || j.Running() || second.Err() == nil || j.End(id2) {
		t.Error("it does not end, once")
	}
	third, id3, progress := j.BeginLook(t.Context(), "sorting")
	if j.Text() != "sorting" {
		t.Errorf("%q", j.Text())
	}
	if progress(21, 50); j.Text() != "sorting 42 %" {
		t.Errorf("%q", j.Text())
	}
	if !j.Stop() || third.Err() == nil || j.End(id3) {
		t.Error("the result of a job that was stopped is taken")
	}
}
