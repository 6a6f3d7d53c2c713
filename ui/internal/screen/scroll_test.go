package screen

import "testing"

// TestThumb: the bar is at an end only if the whole ends there, always has a cell, and is not there if all is shown.
func TestThumb(t *testing.T) {
	for height := 1; height < 12; height++ {
		for all := 0; all < 60; all++ {
			for top := 0; top == 0 || top+height <= all; top++ {
				from, to := ScrollOf(top, height, all).thumb(height)
				if all <= height || height < 3 {
					if from != to {
						t.Fatalf("%d of %d lines: a bar", height, all)
					}
					continue
				}
				if from >= to || from < 0 || to > height || (from == 0) != (top == 0) || (to == height) != (top+height == all) {
					t.Fatalf("lines %d-%d of %d: cells %d-%d", top, top+height, all, from, to)
				}
			}
		}
	}
}
