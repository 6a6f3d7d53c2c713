// Package clipboard copies text with the program that the system has for it.
package clipboard
