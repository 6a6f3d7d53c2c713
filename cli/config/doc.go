// Package config reads the file in which users keep their settings: where it is, its entries with
// their lines, and the faults in them. It does not know which settings exist: a [Section] does.
package config
