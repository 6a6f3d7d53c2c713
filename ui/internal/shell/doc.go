// Package shell writes what a person can paste into a shell.
package shell
