package mcptoolbox

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// Names of environment variables and options whose values are secrets, and values
// that are secrets under any name: tokens of GitHub, GitLab, OpenAI, Slack, AWS and
// npm, JSON web tokens, what follows Bearer, and passwords in URLs.
var (
	secretName  = regexp.MustCompile(`(?i)token|secret|passw|passphrase|_pwd$|credential|api_?key|access_?key|private_?key|_key$|_pat$|cookie|auth$|authorization`)
	secretValue = regexp.MustCompile(`gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{12,}|npm_[A-Za-z0-9]{30,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*|(?i:bearer\s+)[^\s"']+`)
	urlPassword = regexp.MustCompile(`(://[^\s/:@]*:)[^\s/@]+@`)
	secretFlag  = regexp.MustCompile(`(?i)(--?[a-z0-9-]*(?:token|secret|password|passwd|api-?key|auth)[a-z0-9-]*[= ])\S+`)
)

// minSecret is the length of the shortest value that is taken for a secret: shorter
// ones are words like true.
const minSecret = 6

// A redactor takes secrets out of text. It holds those that it knows, longest first.
type redactor []string

// secretsOf knows the secrets in the environment of a command.
func secretsOf(cmd *exec.Cmd) redactor {
	var secrets redactor
	for _, kv := range cmd.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) >= minSecret && (secretName.MatchString(name) || secretValue.MatchString(value)) {
			secrets = append(secrets, value)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return secrets
}

func (r redactor) redact(text string) string {
	for _, secret := range r {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	text = secretValue.ReplaceAllString(text, redacted)
	text = urlPassword.ReplaceAllString(text, "${1}"+redacted+"@")
	return secretFlag.ReplaceAllString(text, "${1}"+redacted)
}
