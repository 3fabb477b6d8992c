package mcptoolbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage is the size of the longest message that is read, in bytes.
const maxMessage = 32 << 20

// A lineReader reads lines that may hold a message, and skips others without keeping
// them, whatever their length.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

var byteOrderMark = []byte("\uFEFF")

// next returns a line, without the space around it. The last one may lack its end.
// Of a line that is no message only the beginning is returned.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line) == 0 || mayBeMessage(line) {
			line = append(line, part...)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return trim(line), nil
		case err != bufio.ErrBufferFull:
			return nil, err
		case len(line) > l.max:
			return nil, fmt.Errorf("it sent a message of more than %d MiB", l.max>>20)
		}
	}
}

func trim(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), byteOrderMark))
}

// mayBeMessage says whether a line begins as a JSON object or array does.
func mayBeMessage(line []byte) bool {
	text := trim(line)
	return len(text) == 0 || text[0] == '{' || text[0] == '['
}

// decode returns the messages of a line: one, those of a batch, or none and an error
// when it is no message. An empty line is nothing at all.
func decode(line []byte) ([]jsonrpc.Message, error) {
	if len(line) == 0 {
		return nil, nil
	}
	if line[0] == '[' {
		return decodeBatch(line)
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err == nil {
		return []jsonrpc.Message{message}, nil
	}
	if answer := unreadable(line, err); answer != nil {
		return []jsonrpc.Message{answer}, nil
	}
	return nil, err
}

// decodeBatch decodes the array of messages that the versions of MCP up to
// 2025-03-26 allow.
func decodeBatch(line []byte) ([]jsonrpc.Message, error) {
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil {
		return nil, err
	}
	var messages []jsonrpc.Message
	var failed error
	for _, element := range batch {
		if element = bytes.TrimSpace(element); element[0] == '[' {
			failed = errors.New("a batch in a batch")
			continue
		}
		decoded, err := decode(element)
		messages = append(messages, decoded...)
		failed = errors.Join(failed, err)
	}
	return messages, failed
}

// unreadable makes an error of an answer that the SDK refuses, so that whoever asked
// need not wait until their time is over. It returns nil when line is no answer.
func unreadable(line []byte, cause error) jsonrpc.Message {
	var answer struct {
		ID     any             `json:"id"`
		Method any             `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Method != nil {
		return nil
	}
	if answer.Result == nil && answer.Error == nil {
		return nil
	}
	id, err := jsonrpc.MakeID(answer.ID)
	if err != nil || !id.IsValid() {
		return nil
	}
	return &jsonrpc.Response{ID: id, Error: fmt.Errorf("the server's answer cannot be read: %w", cause)}
}

// excerpt makes the beginning of foreign text fit for one line of a log.
func excerpt(text []byte) string {
	const most = 200
	cut := text[:min(len(text), most)]
	clean := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(string(cut), ""))
	if len(text) > most {
		clean += "…"
	}
	return clean
}
