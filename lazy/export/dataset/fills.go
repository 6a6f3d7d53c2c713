package dataset

import "tracex/lazy/export/dataset/internal/parquetfile"

// fill appends to a leaf what the rows of a chunk have.
type fill[R any] func(c *parquetfile.Column, b *batch[R])

// batch is rows of a chunk that are being encoded.
type batch[R any] struct {
	*chunk[R]
	trace   int32 // a name
	methods []*method
}

// trace fills a column with the id of the trace.
func trace[R any](c *parquetfile.Column, b *batch[R]) {
	for range b.rows {
		c.Names = append(c.Names, b.trace)
	}
}

func int32s[R any](get func(*R) int32) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			c.Int32s = append(c.Int32s, get(&b.rows[i]))
		}
	}
}

func int64s[R any](get func(*R) int64) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			c.Int64s = append(c.Int64s, get(&b.rows[i]))
		}
	}
}

// based fills a column with numbers that count from the base of the chunk.
func based[R any](get func(*R) int64) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			c.Int64s = append(c.Int64s, b.base+get(&b.rows[i]))
		}
	}
}

func truths[R any](get func(*R) bool) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			bit := byte(0)
			if get(&b.rows[i]) {
				bit = 1
			}
			c.Booleans = append(c.Booleans, bit)
		}
	}
}

func nameds[R any](get func(*R) int32) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			c.Names = append(c.Names, get(&b.rows[i]))
		}
	}
}

func maybe32[R any](get func(*R) (int32, bool)) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			def := uint8(0)
			if n, ok := get(&b.rows[i]); ok {
				c.Int32s = append(c.Int32s, n)
				def = 1
			}
			c.Defs = append(c.Defs, def)
		}
	}
}

func maybe64[R any](get func(*R) (int64, bool)) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			def := uint8(0)
			if n, ok := get(&b.rows[i]); ok {
				c.Int64s = append(c.Int64s, n)
				def = 1
			}
			c.Defs = append(c.Defs, def)
		}
	}
}

// maybeNamed fills a column with names, of which none is null.
func maybeNamed[R any](get func(*R) int32) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			def := uint8(0)
			if n := get(&b.rows[i]); n != none {
				c.Names = append(c.Names, n)
				def = 1
			}
			c.Defs = append(c.Defs, def)
		}
	}
}

// ofMethod fills a column with something about methods.
func ofMethod[R any](get func(*R) int32, what func(*method) int32) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			c.Names = append(c.Names, what(b.methods[get(&b.rows[i])]))
		}
	}
}

// maybeOfMethod is ofMethod for what a row or a method may not have.
func maybeOfMethod[R any](get func(*R) int32, what func(*method) int32) fill[R] {
	return func(c *parquetfile.Column, b *batch[R]) {
		for i := range b.rows {
			def := uint8(0)
			if m := get(&b.rows[i]); m != none {
				if n := what(b.methods[m]); n != none {
					c.Names = append(c.Names, n)
					def = 1
				}
			}
			c.Defs = append(c.Defs, def)
		}
	}
}
