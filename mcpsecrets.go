package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"release-notes-agent/agent"
)

// serverEnvironment picks what a server needs from an environment: where
// programs, caches and certificates are, and how to reach the network. It is an
// allow-list, so that no key gets through that nobody thought of.
func serverEnvironment(environ []string) []string {
	var env []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if slices.Contains(serverVariables, upper) || strings.HasPrefix(upper, "NPM_CONFIG_") && !strings.Contains(upper, "AUTH") {
			env = append(env, kv)
		}
	}
	return env
}

var serverVariables = []string{
	"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS",
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "PROGRAMDATA", "PROGRAMFILES",
}

// redacted stands in the place of a secret.
const redacted = "[redacted]"

// minToken is the length below which a token is a word that stands everywhere.
const minToken = 8

// withoutToken keeps a token out of the words of an error, should the server repeat it.
func withoutToken(err error, token string) error {
	if len(token) < minToken || !strings.Contains(err.Error(), token) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), token, redacted))
}

// hideToken keeps a token out of what tools answer.
func hideToken(box agent.Toolbox, token string) agent.Toolbox {
	return agent.ToolboxFunc(func(ctx context.Context) ([]agent.Tool, error) {
		tools, err := box.Tools(ctx)
		if err != nil {
			return nil, err
		}
		hidden := make([]agent.Tool, len(tools))
		for i, tool := range tools {
			hidden[i] = agent.NewTool(tool.Spec(), func(ctx context.Context, arguments json.RawMessage) (agent.ToolOutput, error) {
				out, err := tool.Call(ctx, arguments)
				if err != nil {
					return out, withoutToken(err, token)
				}
				if len(token) >= minToken {
					out.Text = strings.ReplaceAll(out.Text, token, redacted)
				}
				return out, nil
			})
		}
		return hidden, nil
	})
}
