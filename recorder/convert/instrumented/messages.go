package instrumented

import (
	"reflect"
	"strconv"
	"strings"

	"tracex/recorder/internal/errortexts"
)

// messageOf returns the message of a type; nil if it has none, or lacks a field that the message depends on.
func messageOf(t *typ, pkg, name string) *message {
	pieces, whole := errortexts.Of(pkg, name)
	say, needed := compose[pkg+"."+name], pieces
	switch about, ok := otherTexts[pkg+"."+name]; {
	case whole:
		say = func(p parts) (string, bool) { return fill(pieces, p.list) }
	case ok:
		say, needed = about.say, about.needed()
	case say == nil:
		return nil
	}
	m := &message{say: say}
	for _, p := range needed {
		at := itself
		for i := range t.Fields {
			if p.Field == t.Fields[i].Name {
				at = i
			}
		}
		switch {
		case p.Last:
			continue
		case at >= mostParts, (p.Field == "") != (at == itself):
			return nil
		}
		m.fields, m.names = append(m.fields, at), append(m.names, p.Field)
	}
	return m
}

// fill puts the texts of fields between those of a message.
func fill(pieces []errortexts.Piece, list []part) (text string, ok bool) {
	for i, p := range pieces {
		if text += p.Before; p.Last {
			break
		}
		field, ok := errortexts.Quote(p.Verb, list[i].text)
		if !ok || !list[i].exact {
			return "", false
		}
		text += field
	}
	return text, true
}

// compose has the messages that are no templates, by the names of types. Their parts are the fields that
// package errortexts names.
var compose = map[string]func(parts) (string, bool){
	"syscall.Errno": numbered(errnoText), "crypto/tls.AlertError": numbered(alertText), "crypto/tls.alert": numbered(alertText),
	"net.OpError": operationText, "net.DNSError": lookupText, "net.AddrError": addrErrorText, "net/netip.parseAddrError": parseAddrText,
	"runtime.boundsError": boundsText, "runtime.TypeAssertionError": assertionText,
	"reflect.ValueError": reflectText, "time.ParseError": parseTimeText,
	"encoding/csv.ParseError": csvText, "encoding/json.InvalidUnmarshalError": unmarshalText, "html/template.Error": templateText,
	"crypto/x509.CertificateInvalidError": certificateText, "crypto/x509.UnknownAuthorityError": authorityText, "crypto/x509.SystemRootsError": rootsText,
}

// otherText is the text of a value that is no error.
type otherText struct {
	fields string
	say    func(parts) (string, bool)
}

// otherTexts are those of special types that are no errors, by their names.
var otherTexts = map[string]otherText{
	"time.Time":   {"wall ext", timeText},
	"net.TCPAddr": {"IP Zone Port", addressText}, "net.UDPAddr": {"IP Zone Port", addressText}, "net.IPAddr": {"IP Zone", addressText},
	"net.UnixAddr": {"Name", func(p parts) (string, bool) { return p.text("Name"), p.exact() }}, "net.pipeAddr": {"", constant("pipe")},
}

func (o otherText) needed() (list []errortexts.Piece) {
	for _, field := range strings.Fields(o.fields) {
		list = append(list, errortexts.Piece{Field: field})
	}
	return list
}

func constant(text string) func(parts) (string, bool) {
	return func(parts) (string, bool) { return text, true }
}

// numbered is a message that depends on a number.
func numbered(text func(n uint64) string) func(parts) (string, bool) {
	return func(p parts) (string, bool) {
		n, err := strconv.ParseUint(p.text(""), 10, 64)
		return text(n), err == nil
	}
}

// operationText returns the message of a net.OpError.
func operationText(p parts) (string, bool) {
	text, before := p.text("Op"), " "
	if network := p.text("Net"); network != "" {
		text += " " + network
	}
	if source := p.of("Source"); !source.isNil() {
		text, before = text+before+source.text, "->"
	}
	if addr := p.of("Addr"); !addr.isNil() {
		text += before + addr.text
	}
	return text + ": " + p.text("Err"), p.exact("Source", "Addr")
}

// lookupText returns the message of a net.DNSError.
func lookupText(p parts) (string, bool) {
	text := "lookup " + p.text("Name")
	if server := p.text("Server"); server != "" {
		text += " on " + server
	}
	return text + ": " + p.text("Err"), p.exact()
}

func addrErrorText(p parts) (string, bool) {
	text := p.text("Err")
	if addr := p.text("Addr"); addr != "" {
		text = "address " + addr + ": " + text
	}
	return text, p.exact()
}

func parseAddrText(p parts) (string, bool) {
	text := "ParseAddr(" + strconv.Quote(p.text("in")) + "): " + p.text("msg")
	if at := p.text("at"); at != "" {
		text += " (at " + strconv.Quote(at) + ")"
	}
	return text, p.exact()
}

func reflectText(p parts) (string, bool) {
	kind, err := strconv.ParseUint(p.text("Kind"), 10, 8)
	on := reflect.Kind(kind).String()
	if kind == 0 {
		on = "zero"
	}
	return "reflect: call of " + p.text("Method") + " on " + on + " Value", err == nil && p.exact()
}

func parseTimeText(p parts) (string, bool) {
	quoted := func(field string) string { return errortexts.QuoteBytes(p.text(field)) }
	text, about := "parsing time "+quoted("Value"), p.text("Message")
	if about == "" {
		text += " as " + quoted("Layout") + ": cannot parse " + quoted("ValueElem") + " as " + quoted("LayoutElem")
	}
	return text + about, p.exact()
}

func csvText(p parts) (string, bool) {
	start, line, err := p.text("StartLine"), p.text("Line"), p.text("Err")
	place := "line " + line + ", column " + p.text("Column") + ": "
	switch {
	case err == "wrong number of fields":
		return "record on line " + line + ": " + err, p.exact()
	case start != line:
		return "record on line " + start + "; parse error on " + place + err, p.exact()
	}
	return "parse error on " + place + err, p.exact()
}

// unmarshalText knows the message for nil only: the names of types are not recorded.
func unmarshalText(p parts) (string, bool) { return "json: Unmarshal(nil)", p.of("Type").isNil() }

// templateText knows no messages about a node, whose place is not recorded.
func templateText(p parts) (string, bool) {
	text := "html/template:"
	switch line, name := p.text("Line"), p.text("Name"); {
	case line != "0":
		text += name + ":" + line + ":"
	case name != "":
		text += name + ":"
	}
	return text + " " + p.text("Description"), p.of("Node").isNil() && p.exact("Node")
}

// certificates are the messages of x509.CertificateInvalidError, by its reason. One that ends in a colon has the detail.
var certificates = [...]string{
	"certificate is not authorized to sign other certificates", "certificate has expired or is not yet valid:",
	"a root or intermediate certificate is not authorized to sign for this name:", "too many intermediates for path length constraint",
	"certificate specifies an incompatible key usage", "issuer name does not match subject from issuing certificate",
	"issuer has name constraints but leaf doesn't have a SAN extension", "issuer has name constraints but leaf contains unknown or unconstrained name:",
	"unknown error", "a root or intermediate certificate is not authorized for an extended key usage:", "no valid chains built",
}

func certificateText(p parts) (string, bool) {
	reason, err := strconv.ParseUint(p.text("Reason"), 10, 8)
	if err != nil || reason >= uint64(len(certificates)) {
		return "", false
	}
	text, detail := "x509: "+certificates[reason], p.text("Detail")
	switch {
	case strings.HasSuffix(text, ":"):
		text += " " + detail
	case reason == uint64(len(certificates)-1) && detail != "":
		text += ": " + detail
	}
	return text, p.exact()
}

// authorityText knows no message with a hint, which depends on a certificate.
func authorityText(p parts) (string, bool) {
	return "x509: certificate signed by unknown authority", p.of("hintErr").isNil()
}

func rootsText(p parts) (string, bool) {
	text, err := "x509: failed to load system roots and no roots provided", p.of("Err")
	if !err.isNil() {
		text += "; " + err.text
	}
	return text, p.exact("Err")
}

// alerts are the alerts of TLS, by number.
var alerts = map[uint64]string{
	0: "close notify", 10: "unexpected message", 20: "bad record MAC", 21: "decryption failed", 22: "record overflow", 30: "decompression failure",
	40: "handshake failure", 42: "bad certificate", 43: "unsupported certificate", 44: "revoked certificate", 45: "expired certificate",
	46: "unknown certificate", 47: "illegal parameter", 48: "unknown certificate authority", 49: "access denied", 50: "error decoding message",
	51: "error decrypting message", 60: "export restriction", 70: "protocol version not supported", 71: "insufficient security level",
	80: "internal error", 86: "inappropriate fallback", 90: "user canceled", 100: "no renegotiation", 109: "missing extension",
	110: "unsupported extension", 111: "certificate unobtainable", 112: "unrecognized name", 113: "bad certificate status response",
	114: "bad certificate hash value", 115: "unknown PSK identity", 116: "certificate required", 120: "no application protocol",
	121: "encrypted client hello required",
}

func alertText(n uint64) string {
	if text := alerts[n]; text != "" {
		return "tls: " + text
	}
	return "tls: alert(" + strconv.FormatUint(n, 10) + ")"
}
