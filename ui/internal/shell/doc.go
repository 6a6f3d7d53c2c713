// Package shell writes text that a person can paste into a shell.
package shell
