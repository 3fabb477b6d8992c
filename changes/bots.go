package changes

import (
	"regexp"
	"strings"
)

// botName recognises programs by the marks that forges and their owners give them.
var botName = regexp.MustCompile(`(?i)(?:\[bot\]$|[-_ ](?:ro)?bot$)`)

// botNames are programs without such a mark. GitHub is the committer of what is
// merged on its pages.
var botNames = map[string]bool{
	"github": true, "web-flow": true, "github actions": true, "github action": true, "github-actions": true, "gitlab": true, "gitea": true, "gitea actions": true, "gitea-actions": true, "forgejo-actions": true,
	"dependabot": true, "dependabot preview": true, "renovate": true, "renovate bot": true, "mend renovate": true, "whitesource renovate": true,
	"greenkeeper": true, "bors": true, "homu": true, "mergify": true, "kodiak": true, "snyk": true, "snyk bot": true, "imgbot": true, "codecov": true,
	"weblate": true, "hosted weblate": true, "pre-commit-ci": true, "pre-commit ci": true, "semantic-release": true, "semantic release bot": true,
	"release-please": true, "release please": true, "allcontributors": true, "changesets": true, "travis ci": true, "travis-ci": true, "circleci": true,
	"owlbot": true, "deepsource autofix": true, "scala steward": true, "azure pipelines": true, "jenkins": true, "crowdin": true, "lerna": true, "project bot": true,
}

// botAddresses are the addresses that forges commit under.
var botAddresses = map[string]bool{
	"noreply@github.com": true, "actions@github.com": true, "action@github.com": true, "support@github.com": true, "support@dependabot.com": true,
	"bot@renovateapp.com": true, "bot@dependabot.com": true, "noreply@gitlab.com": true,
}

func isBot(p Person) bool {
	name, email := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(p.Name)), "scala-steward", "scala steward"), strings.ToLower(strings.TrimSpace(p.Email))
	local, _, _ := strings.Cut(email, "@")
	return botName.MatchString(name) && !isAIName(name) || botNames[name] || botAddresses[email] || strings.HasSuffix(local, "[bot]") && !isAIName(name)
}

var (
	aiName    = regexp.MustCompile(`(?i)^(?:claude(?: code| (?:opus|sonnet|haiku|fable)\b.*| \d.*)?|(?:github )?copilot(?: .*|-swe-agent.*)?|cursor(?: ?agent)?|(?:openai )?codex(?:\b.*)?|chatgpt|gpt-?\d.*|(?:google )?gemini(?: .*|-.*)?|devin(?: ai|-ai.*)|aider(?: \(.*\))?|windsurf|cline|amp|opencode|(?:google-labs-)?jules(?:\[bot\])?|openhands|sweep(?: ai|-ai.*)|coderabbit.*)$`)
	aiAddress = regexp.MustCompile(`(?i)@(?:anthropic\.com|openai\.com|cursor\.com|cursor\.sh|aider\.chat|devin\.ai|ampcode\.com|opencode\.ai|all-hands\.dev|codeium\.com|windsurf\.com)$`)
	aiLogin   = regexp.MustCompile(`(?i)^(?:\d+\+)?(?:copilot|copilot-swe-agent\[bot\]|claude|claude\[bot\]|devin-ai-integration\[bot\]|google-labs-jules\[bot\]|gemini-code-assist\[bot\])@users\.noreply\.github\.com$`)
)

// isAI recognises assistants. A name alone could be a person's, so that it
// counts only with an address that nobody reads, or with none.
func isAI(p Person) bool {
	email := strings.ToLower(strings.TrimSpace(p.Email))
	if aiLogin.MatchString(email) {
		return true
	}
	if !isAIName(p.Name) {
		return false
	}
	return email == "" || strings.Contains(email, "noreply") || strings.Contains(email, "no-reply") || aiAddress.MatchString(email) || strings.Contains(p.Name, "[bot]")
}

func isAIName(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return aiName.MatchString(name) || aiName.MatchString(strings.TrimSuffix(name, "[bot]"))
}
