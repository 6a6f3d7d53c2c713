package recorder

import (
	"cmp"
	"fmt"
	"os"
	"strconv"

	"tracex/format"
	"tracex/recorder/internal/values"
)

const newestVersion = int(format.Newest)

// FormatVariable is the environment variable with the version of the format to write if
// [Config.FormatVersion] is 0. tracex record sets it.
const FormatVariable = "TRACEX_FORMAT_VERSION"

// wantedLayout returns the layout for the version that the config or the environment names.
func (c *Config) wantedLayout() (*values.Layout, error) {
	version := c.FormatVersion
	if named := os.Getenv(FormatVariable); version == 0 && named != "" {
		var err error
		if version, err = strconv.Atoi(named); err != nil || version == 0 {
			return nil, fmt.Errorf("recorder: %s=%s: want 27 or 22", FormatVariable, named)
		}
	}
	l, err := layoutOf(cmp.Or(version, newestVersion))
	if err != nil && c.FormatVersion == 0 {
		err = fmt.Errorf("%w (%s says so)", err, FormatVariable)
	}
	return l, err
}

func layoutOf(version int) (*values.Layout, error) {
	if l := values.LayoutOf(version); l != nil {
		return l, nil
	}
	return nil, fmt.Errorf("recorder: version %d of the format cannot be written: FormatVersion is 27, 22, or 0 for the newest", version)
}
