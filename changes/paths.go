package changes

import "regexp"

// The paths that speak for a kind, if a commit touches no others.
var (
	docsPath = regexp.MustCompile(`(?i)^(?:docs?|documentation|man|manpages)/|(?:^|/)(?:docs?|documentation|man|manpages)/.*\.(?:txt|html?|css|png|jpe?g|gif|svg|tex|texi|\d)$|\.(?:md|mdx|rst|adoc|asciidoc)$|(?:^|/)(?:readme|changelog|contributing|authors|license|copying|notice|code_of_conduct)(?:\.\w+)?$`)
	testPath = regexp.MustCompile(`(?i)(?:^|/)(?:tests?|__tests__|specs?|testdata|test-data|fixtures|e2e|testing)/|_test\.\w+$|[._-](?:test|spec)\.\w+$|(?:^|/)test_[^/]+\.py$|(?:^|/)[^/]+tests?\.(?:java|kt|cs|swift)$`)
	toolPath = regexp.MustCompile(`(?i)^(?:\.github|\.gitlab|\.circleci|\.buildkite|\.azure-pipelines|\.husky|\.vscode|\.idea|\.devcontainer|\.changeset)/|(?:^|/)(?:\.travis|\.gitlab-ci|\.golangci|\.pre-commit-config|\.codecov|codecov|appveyor|\.appveyor|azure-pipelines|\.goreleaser|\.mergify|renovate)\.(?:ya?ml|json5?|toml)$|(?:^|/)(?:jenkinsfile|codeowners|makefile|\.gitignore|\.gitattributes|\.editorconfig|\.mailmap|\.prettierrc[^/]*|\.eslintrc[^/]*|\.clang-format|rustfmt\.toml)$`)
	lockPath = regexp.MustCompile(`(?:^|/)(?:vendor|node_modules|third_party)/|(?:^|/)(?:go\.mod|go\.sum|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|Gemfile\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|Package\.resolved|requirements[^/]*\.txt)$`)
)

// manifestPath is a file in which a project names its dependencies, beside other things.
var manifestPath = regexp.MustCompile(`(?:^|/)(?:package\.json|pom\.xml|[\w.-]+\.gradle(?:\.kts)?|gradle\.properties|gradle-wrapper\.properties|libs\.versions\.toml|[\w.-]+\.sbt|build\.properties|Cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|Gemfile|[\w.-]+\.gemspec|[\w.-]+\.(?:cs|fs|vb)proj|Directory\.Packages\.props|packages\.config|composer\.json|mix\.exs|pubspec\.yaml|Podfile|Package\.swift|Chart\.yaml|\.tool-versions|(?:[\w.-]+\.)?Dockerfile(?:\.[\w.-]+)?|(?:docker-)?compose\.ya?ml)$`)

// manifestKind is pathKind for a change whose title may be about a dependency.
func manifestKind(p string) Kind {
	if manifestPath.MatchString(p) {
		return DependencyUpdate
	}
	return pathKind(p)
}

// pathKind is the kind that a path speaks for, otherwise Other.
func pathKind(p string) Kind {
	switch {
	case lockPath.MatchString(p):
		return DependencyUpdate
	case toolPath.MatchString(p) || testPath.MatchString(p):
		return Internal
	case docsPath.MatchString(p):
		return Documentation
	}
	return Other
}
