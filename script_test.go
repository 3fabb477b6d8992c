package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"release-notes-agent/agent/agenttest/openaiserver"
	"release-notes-agent/internal/gittest"
)

var update = flag.Bool("update", false, "rewrite what the scripts and cases expect; CI never does")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"release-notes-agent": main,
		"github-mcp-server":   runStandIn,
		"acme-hub":            runStandIn,
	})
}

// TestScripts runs the built program as users do. On PATH there are github-mcp-server and
// acme-hub, see runStandIn. Beside testscript's own commands a script has
//
//	repo DIR FILE     makes the repository that FILE describes, see internal/gittest
//	model FILE        starts a model server that answers from FILE, see openaiserver, and names it in the environment
//	answered          fails unless everything was asked as the model server's script expects
//	github FILE       starts a stand-in of GitHub's API that answers from FILE: JSON by path
//	asked CALL…       fails unless that, and only that, was asked of the stand-in
//	endpoint FILE LOG starts a stand-in of GitHub's own MCP server over HTTP, and names it in the environment
//	manypulls N H A   writes a history H of N pull requests, and what GitHub answers about them to A
//	variables LOG V…  fails unless a server that kept LOG has seen these variables, and no other
//	noprocess         fails if a process that the script started is still running
func TestScripts(t *testing.T) {
	gittest.NeedGit(t)
	if os.Getenv("CI") == "true" {
		gittest.NeedNpx(t) // elsewhere the scripts that need it skip
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update && os.Getenv("CI") == "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("TZ", "UTC")
			program, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
			env.Setenv("PROGRAM_PATH", program) // a PATH on which there is nothing else
			env.Values[modelKey{}] = new(modelServer)
			env.Values[githubKey{}] = new(githubStandIn)
			return setUpNode(env)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"repo":      makeRepository,
			"model":     startModel,
			"answered":  checkModel,
			"github":    startStandIn,
			"asked":     githubAsked,
			"endpoint":  startEndpoint,
			"manypulls": manyPulls,
			"variables": variables,
			"noprocess": noProcess,
		},
	})
}

// setUpNode gives the script a home of its own, by which its processes are known,
// and npm the cache of whoever runs the tests.
func setUpNode(env *testscript.Env) error {
	cache, err := npmCache()
	if err != nil {
		return err
	}
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("npm_config_cache", cache)
	return os.Mkdir(home, 0o777)
}

func makeRepository(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: repo DIR FILE")
	}
	ts.Check(gittest.BuildAt(ts.MkAbs(args[0]), ts.ReadFile(args[1])))
}

// modelServer is the model server of a script, if it has one.
type modelServer struct{ *openaiserver.Server }

type modelKey struct{}

func startModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	answers, err := openaiserver.ParseScript([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	server, err := openaiserver.Listen(answers...)
	ts.Check(err)
	ts.Defer(server.Close)
	ts.Value(modelKey{}).(*modelServer).Server = server
	ts.Setenv("OPENAI_BASE_URL", server.URL())
	ts.Setenv("OPENAI_API_KEY", "sk-test-0123456789")
}

func checkModel(ts *testscript.TestScript, neg bool, args []string) {
	server := ts.Value(modelKey{}).(*modelServer).Server
	if neg || len(args) != 0 || server == nil {
		ts.Fatalf("usage: answered, after model")
	}
	if failures := server.Failures(); len(failures) > 0 {
		ts.Fatalf("%s", strings.Join(failures, "\n"))
	}
}
