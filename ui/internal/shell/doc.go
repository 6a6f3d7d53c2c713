// Package shell writes text that the user can paste into a shell.
package shell
