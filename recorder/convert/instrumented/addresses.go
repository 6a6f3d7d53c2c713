package instrumented

import (
	"strconv"
	"strings"
)

// addressText returns the text of an address of package net.
func addressText(p parts) (string, bool) {
	host, port := p.text("IP"), p.of("Port")
	if p.of("IP").isNil() {
		host = ""
	}
	if zone := p.text("Zone"); zone != "" {
		host += "%" + zone
	}
	if !port.exact { // an IPAddr has none
		return host, p.exact("IP")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port.text, p.exact("IP")
}

// appendIP appends an address of package net, as that writes it; nothing for other bytes.
func appendIP(dst, ip []byte) []byte {
	const size4, size6 = 4, 16
	if len(ip) == size6 && string(ip[:size6-size4]) == "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff" {
		ip = ip[size6-size4:]
	}
	if len(ip) == size4 {
		for i, b := range ip {
			if i > 0 {
				dst = append(dst, '.')
			}
			dst = strconv.AppendUint(dst, uint64(b), 10)
		}
		return dst
	}
	if len(ip) != size6 {
		return dst
	}
	from, to := -1, -1 // the first of the longest runs of zeros, of two or more
	for i := 0; i < size6; i += 2 {
		end := i
		for end < size6 && ip[end] == 0 && ip[end+1] == 0 {
			end += 2
		}
		if end > i+2 && end-i > to-from {
			from, to = i, end
		}
	}
	for i := 0; i < size6; i += 2 {
		if i == from {
			if dst, i = append(dst, "::"...), to; i == size6 {
				break
			}
		} else if i > 0 {
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(ip[i])<<8|uint64(ip[i+1]), 16)
	}
	return dst
}
