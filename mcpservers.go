package main

import (
	"encoding/json"
	"slices"
	"strings"

	"release-notes-agent/agent"
)

// A mcpServer is what is known of a server: the tools of it that may be called. They
// only read, and only inside one repository. A tool whose query can leave the
// repository, such as a search, has no place here.
type mcpServer struct {
	name        string // in messages
	pull, issue string // the tools that read a pull request and an issue
	readers     []reader
	dotComOnly  bool // knows no GitHub Enterprise
}

// A reader is a tool that reads something of one pull request or issue.
type reader struct {
	tool    string
	number  string   // its argument for the number
	methods []string // what it may be asked for, with the thing itself first; nil when it does but one thing
}

// npmServer is the server that --mcp starts by itself. It has no annotations.
const npmServer = "@modelcontextprotocol/server-github"

// officialServer is GitHub's own server, and the name of its program. Its methods that
// are not listed here are about builds, or may lead to issues of other repositories.
const officialServer = "github-mcp-server"

var mcpServers = []mcpServer{
	{
		name: npmServer, pull: "get_pull_request", issue: "get_issue", dotComOnly: true,
		readers: []reader{
			{tool: "get_issue", number: "issue_number"},
			{tool: "get_pull_request", number: "pull_number"},
			{tool: "get_pull_request_comments", number: "pull_number"},
			{tool: "get_pull_request_files", number: "pull_number"},
			{tool: "get_pull_request_reviews", number: "pull_number"},
		},
	},
	{
		name: officialServer, pull: "pull_request_read", issue: "issue_read",
		readers: []reader{
			{tool: "issue_read", number: "issue_number", methods: []string{"get", "get_comments"}},
			{tool: "pull_request_read", number: "pullNumber", methods: []string{"get", "get_comments", "get_diff", "get_files", "get_review_comments", "get_reviews"}},
		},
	},
}

// numberArguments are the arguments by which servers take the number of a pull request
// or an issue.
var numberArguments = []string{"pull_number", "pullNumber", "pr_number", "prNumber", "issue_number", "issueNumber"}

// everyReader lists the tools that may be called of one server or another.
func everyReader(named []string) []string {
	names := append([]string{}, named...)
	for _, server := range mcpServers {
		for _, r := range server.readers {
			names = append(names, r.tool)
		}
	}
	return names
}

// serverOf recognises a server by its tool for pull requests, since two of them call
// themselves alike: by the name, and by the argument that it takes the number by.
func serverOf(own map[string]agent.Tool) (mcpServer, bool) {
	i := slices.IndexFunc(mcpServers, func(s mcpServer) bool {
		tool := own[s.pull]
		return tool != nil && slices.Contains(propertiesOf(tool.Spec()), s.reader(s.pull).number)
	})
	if i < 0 {
		return mcpServer{}, false
	}
	return mcpServers[i], true
}

// namedServer is a server that the table does not know, with the tools that a person has
// named. No pull request is read through it before drafting.
func namedServer(name string, tools []string) mcpServer {
	server := mcpServer{name: name}
	for _, tool := range tools {
		if !slices.ContainsFunc(server.readers, func(r reader) bool { return r.tool == tool }) {
			server.readers = append(server.readers, reader{tool: tool})
		}
	}
	return server
}

func (s mcpServer) reader(tool string) reader {
	i := slices.IndexFunc(s.readers, func(r reader) bool { return r.tool == tool })
	return s.readers[i]
}

// propertiesOf lists the arguments that a tool says it takes.
func propertiesOf(spec agent.ToolSpec) []string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(spec.Parameters, &schema) // a schema that can't be read has none
	var names []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// maxToolName is the longest tool name that OpenAI's API takes. The characters it
// takes are letters, digits, "_" and "-".
const maxToolName = 64

// openAIToolNames gives the tools of a toolbox names that OpenAI's API takes:
// every other character becomes "_", and a name that is too long keeps its end,
// which is the tool's own name. Listing fails when two tools get one name.
func openAIToolNames(box agent.Toolbox) agent.Toolbox {
	return agent.Rename(box, func(name string) string {
		name = strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
				return r
			}
			return '_'
		}, name)
		return name[max(0, len(name)-maxToolName):]
	})
}
