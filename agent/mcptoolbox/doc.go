// Package mcptoolbox makes an [agent.Toolbox] of the tools of an MCP server. Call
// [Connect] with a transport, or [FromSession] with a session that runs already;
// call [Toolbox.Cancel] at the end.
//
// [Command] is the transport that starts a server as a child process, and ends it
// with everything it started. [Stream] speaks over any connection, such as TCP or a
// Unix socket. Both read what servers really write, see [Stream]. Every other
// transport of the MCP SDK will do as well: streamable HTTP, in memory.
//
// The file docs/toolbox.md of this project teaches the package in one page.
//
// Only tools are used: no prompts, no resources, no sampling. A server's notice that
// its list of tools has changed is ignored.
package mcptoolbox
