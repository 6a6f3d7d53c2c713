package tables

import (
	"io"

	"tracex/lazy/export"
	"tracex/lazy/query/table"
)

// exportFormat is a format of files: of events, of the rows of a table, or of the lines of the tree.
type exportFormat struct {
	name, suffix string
	what         string // for help
	events       *export.Format
	rows         func(w io.Writer, t *table.Table, limit int) (more int, err error)
}

// rowFormats are the formats of tables: what commands print with these flags.
var rowFormats = []exportFormat{
	{name: "csv", suffix: ".csv", what: "the rows as comma-separated values, as --csv prints them", rows: table.WriteCSV},
	{name: "json", suffix: ".jsonl", what: "the rows as JSON, one object per line, as --json prints them", rows: table.WriteJSON},
}

// textFormat is the format of print, unless steps edit the tree.
var textFormat = exportFormat{name: "text", suffix: ".txt", what: "all of it, as print prints it; with steps: what is loaded"}

func (p *piece) formats() (list []exportFormat) {
	if p.rows != nil {
		list = append(list, rowFormats...)
	}
	if p.events {
		for _, f := range export.Formats {
			list = append(list, exportFormat{name: f.Name, suffix: f.Suffix, what: f.What, events: f})
		}
	}
	if p.print != nil {
		list = append(list, textFormat)
	}
	return list
}
