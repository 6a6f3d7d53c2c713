package screen

import "testing"

func TestLocale(t *testing.T) {
	for _, c := range []struct {
		system, all, ctype, lang string
		ascii                    bool
	}{
		{"linux", "C", "en_US.UTF-8", "en_US.UTF-8", true},
		{"linux", "POSIX", "", "", true},
		{"linux", "", "C", "de_DE.UTF-8", true},
		{"linux", "", "", "de_DE.ISO-8859-1", true},
		{"linux", "", "", "de_DE@euro", true},
		{"linux", "", "", "", true},
		{"linux", "C.UTF-8", "C", "C", false},
		{"linux", "", "", "C.utf8", false},
		{"linux", "", "de_DE.UTF-8@euro", "C", false},
		{"freebsd", "", "", "", true},
		{"darwin", "", "", "", false},
		{"darwin", "", "UTF-8", "", false},
		{"darwin", "C", "", "", true},
		{"windows", "", "", "", false},
		{"windows", "", "", "C", false},
	} {
		env := map[string]string{"LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}
		if got := asciiLocale(c.system, func(name string) string { return env[name] }); got != c.ascii {
			t.Errorf("%+v: only ASCII: %v", c, got)
		}
	}
}
