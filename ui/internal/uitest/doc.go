// Package uitest helps tests of the explorer and of its parts: it opens traces and
// presses keys.
package uitest
