package history

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// A Commit as git log shows it, text in UTF-8.
type Commit struct {
	Hash      string
	Parents   []string
	Author    Signature
	Committer Signature
	Message   string
}

// A Signature is who and when.
type Signature struct {
	Name, Email string
	When        time.Time // in the zone that was recorded
}

// A header is what walking needs of a commit.
type header struct {
	tree      plumbing.Hash
	parents   []plumbing.Hash
	committed int64 // Unix time
}

// parseHeader reads a commit's header as far as the committer.
func parseHeader(data []byte) header {
	var h header
	for len(data) > 0 && data[0] != '\n' {
		key, value, rest := headerLine(data)
		data = rest
		switch string(key) {
		case "tree":
			h.tree, _ = decodeHash(value)
		case "parent":
			if parent, ok := decodeHash(value); ok {
				h.parents = append(h.parents, parent)
			}
		case "committer":
			h.committed = committerDate(value)
			return h
		}
	}
	return h
}

// decodeHash reads the 40 digits of a hash.
func decodeHash(digits []byte) (h plumbing.Hash, ok bool) {
	if len(digits) != 2*len(h) {
		return h, false
	}
	_, err := hex.Decode(h[:], digits)
	return h, err == nil
}

// headerLine splits the first line of data.
func headerLine(data []byte) (key, value, rest []byte) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	key, value, _ = bytes.Cut(line, []byte(" "))
	return key, value, rest
}

// parseCommit reads a commit object. Text in another encoding than UTF-8 is
// converted when the commit names it; bytes that still make no sense become U+FFFD.
func parseCommit(hash string, data []byte) Commit {
	c := Commit{Hash: hash}
	var author, committer []byte
	encoding := ""
	for len(data) > 0 && data[0] != '\n' {
		key, value, rest := headerLine(data)
		data = rest
		switch {
		case string(key) == "parent" && author == nil:
			c.Parents = append(c.Parents, string(value))
		case string(key) == "author" && author == nil:
			author = value
		case string(key) == "committer" && committer == nil:
			committer = value
		case string(key) == "encoding" && encoding == "":
			encoding = string(value)
		}
	}
	decode := decoder(encoding)
	c.Message = decode(bytes.TrimPrefix(data, []byte("\n")))
	c.Author, c.Committer = parseSignature(author, decode), parseSignature(committer, decode)
	return c
}

// decoder returns the way from an encoding to UTF-8. What it does not know is
// taken for UTF-8.
func decoder(name string) func([]byte) string {
	charset := charsetOf(name)
	if charset == nil {
		return validText
	}
	return func(data []byte) string {
		if text, err := charset.NewDecoder().Bytes(data); err == nil {
			return validText(text)
		}
		return validText(data)
	}
}

// charsetOf looks an encoding up under its registered names, then under those that
// browsers know. UTF-8 and unknown ones are nil.
func charsetOf(name string) encoding.Encoding {
	switch strings.ToLower(name) {
	case "", "utf-8", "utf8":
		return nil
	}
	if charset, err := ianaindex.IANA.Encoding(name); err == nil && charset != nil {
		return charset
	}
	charset, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return charset
}

// validText makes text valid UTF-8, one U+FFFD for each byte that is not.
func validText(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var b strings.Builder
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String()
}

// parseSignature reads "Name <email> seconds zone" as git does: the address ends
// at the first ">" after the first "<", and the date stands after the last ">".
func parseSignature(line []byte, decode func([]byte) string) Signature {
	name, rest, _ := bytes.Cut(line, []byte("<"))
	email, _, _ := bytes.Cut(rest, []byte(">"))
	return Signature{
		Name:  strings.TrimSpace(decode(name)),
		Email: decode(email),
		When:  parseDate(line[bytes.LastIndexByte(line, '>')+1:]),
	}
}

// committerDate is the date of a signature alone.
func committerDate(line []byte) int64 {
	seconds, _ := dateFields(line[bytes.LastIndexByte(line, '>')+1:])
	return seconds
}

// maxSeconds is the end of the year 9999, the last that date formats can write.
const maxSeconds = 253402300799

// parseDate reads "seconds zone". What is no date is the start of Unix time.
func parseDate(text []byte) time.Time {
	seconds, zone := dateFields(text)
	return time.Unix(min(seconds, maxSeconds), 0).In(parseZone(zone))
}

func dateFields(text []byte) (seconds int64, zone string) {
	digits, rest, _ := bytes.Cut(bytes.TrimSpace(text), []byte(" "))
	seconds, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || seconds < 0 {
		return 0, ""
	}
	return seconds, string(bytes.TrimSpace(rest))
}

// parseZone reads "+hhmm". Zones that no place has count as UTC.
func parseZone(zone string) *time.Location {
	value, err := strconv.Atoi(zone)
	if err != nil || len(zone) != 5 {
		return time.UTC
	}
	offset := (value/100*60 + value%100) * 60
	if offset == 0 || offset < -26*3600 || offset > 26*3600 {
		return time.UTC
	}
	return time.FixedZone("", offset)
}
