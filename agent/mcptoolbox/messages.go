package mcptoolbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

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
		if response, ok := message.(*jsonrpc.Response); ok {
			response.Result = withPlainContent(response.Result)
		}
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

// withPlainContent puts an empty image in the place of each block of a tool's result
// that is not text. The SDK refuses a result for any block that it does not know or
// cannot read, and all that counts of these is that there are some.
func withPlainContent(result json.RawMessage) json.RawMessage {
	var kinds struct {
		Content []*struct {
			Type string `json:"type"`
		} `json:"content"`
	}
	if json.Unmarshal(result, &kinds) != nil {
		return result
	}
	isText := func(i int) bool { return kinds.Content[i] != nil && kinds.Content[i].Type == "text" }
	plain := true
	for i := range kinds.Content {
		plain = plain && isText(i)
	}
	var parts map[string]json.RawMessage
	var blocks []json.RawMessage
	if plain || json.Unmarshal(result, &parts) != nil || json.Unmarshal(parts["content"], &blocks) != nil {
		return result
	}
	for i := range blocks {
		if !isText(i) {
			blocks[i] = json.RawMessage(`{"type":"image"}`)
		}
	}
	var err error
	if parts["content"], err = json.Marshal(blocks); err != nil {
		return result
	}
	changed, err := json.Marshal(parts)
	if err != nil {
		return result
	}
	return changed
}
