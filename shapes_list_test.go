package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"release-notes-agent/internal/gittest"
)

// here keeps the repository as it is and runs git in it.
func here(args ...string) func(t *testing.T, dir string) (string, []string) {
	return func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, args...)
		return dir, nil
	}
}

// elsewhere runs git with a fresh path in place of TO, and goes there.
func elsewhere(args ...string) func(t *testing.T, dir string) (string, []string) {
	return func(t *testing.T, dir string) (string, []string) {
		to := filepath.Join(t.TempDir(), "to")
		for i := range args {
			args[i] = strings.NewReplacer("TO", to, "FROM", dir).Replace(args[i])
		}
		gittest.Git(t, dir, args...)
		if origin := gittest.Git(t, dir, "config", "remote.origin.url"); args[0] == "clone" {
			gittest.Git(t, to, "remote", "set-url", "origin", origin)
		}
		return to, nil
	}
}

// writing writes files, given as pairs of path below the work tree and content.
func writing(pairs ...string) func(t *testing.T, dir string) (string, []string) {
	return func(t *testing.T, dir string) (string, []string) {
		for i := 0; i < len(pairs); i += 2 {
			name := filepath.Join(dir, pairs[i])
			must(t, os.MkdirAll(filepath.Dir(name), 0o777))
			must(t, os.WriteFile(name, []byte(pairs[i+1]), 0o666))
		}
		return dir, nil
	}
}

// configured appends lines to the repository's configuration.
func configured(lines string) func(t *testing.T, dir string) (string, []string) {
	return func(t *testing.T, dir string) (string, []string) {
		name := filepath.Join(dir, ".git", "config")
		old, err := os.ReadFile(name)
		must(t, err)
		must(t, os.WriteFile(name, []byte(string(old)+lines), 0o666))
		return dir, nil
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// one returns the single file that matches pattern below dir.
func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v, %v; want one file", pattern, files, err)
	}
	return files[0]
}

var shapes = []shape{
	{"subdirectory", func(t *testing.T, dir string) (string, []string) { return filepath.Join(dir, "sub", "dir"), nil }, ""},
	{"inside `.git`", func(t *testing.T, dir string) (string, []string) { return filepath.Join(dir, ".git", "objects"), nil }, ""},
	{"detached HEAD", here("checkout", "-q", "--detach", "HEAD~1"), ""},
	{"linked worktree", elsewhere("worktree", "add", "-q", "TO", "-b", "wt", "v1.0.0"), ""},
	{"linked worktree with relative paths", relativeWorktree, ""},
	{"worktree of a bare repository", worktreeOfBare, ""},
	{"bare", elsewhere("clone", "-q", "--bare", "FROM", "TO"), ""},
	{"submodule", submodule, ""},
	{"`--separate-git-dir`", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "away"))
		return dir, nil
	}, ""},
	{"`.git` is a symbolic link", func(t *testing.T, dir string) (string, []string) {
		away := filepath.Join(t.TempDir(), "away")
		must(t, os.Rename(filepath.Join(dir, ".git"), away))
		must(t, os.Symlink(away, filepath.Join(dir, ".git")))
		return dir, nil
	}, ""},
	{"`GIT_DIR`", func(t *testing.T, dir string) (string, []string) {
		return t.TempDir(), []string{"GIT_DIR", filepath.Join(dir, ".git")}
	}, ""},
	{"`GIT_DIR` and `GIT_WORK_TREE`", func(t *testing.T, dir string) (string, []string) {
		return t.TempDir(), []string{"GIT_DIR", filepath.Join(dir, ".git"), "GIT_WORK_TREE", dir}
	}, ""},
	{"`GIT_OBJECT_DIRECTORY`", func(t *testing.T, dir string) (string, []string) {
		away := filepath.Join(t.TempDir(), "objects")
		must(t, os.Rename(filepath.Join(dir, ".git", "objects"), away))
		must(t, os.Mkdir(filepath.Join(dir, ".git", "objects"), 0o777))
		return dir, []string{"GIT_OBJECT_DIRECTORY", away}
	}, ""},
	{"`GIT_ALTERNATE_OBJECT_DIRECTORIES`", func(t *testing.T, dir string) (string, []string) {
		away := filepath.Join(t.TempDir(), "objects")
		must(t, os.Rename(filepath.Join(dir, ".git", "objects"), away))
		must(t, os.Mkdir(filepath.Join(dir, ".git", "objects"), 0o777))
		return dir, []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES", away}
	}, ""},
	{"alternates", elsewhere("clone", "-q", "--shared", "FROM", "TO"), ""},
	{"alternates of alternates", func(t *testing.T, dir string) (string, []string) {
		middle, _ := elsewhere("clone", "-q", "--shared", "FROM", "TO")(t, dir)
		return elsewhere("clone", "-q", "--shared", "FROM", "TO")(t, middle)
	}, ""},
	{"packed", here("gc", "-q", "--aggressive"), ""},
	{"packed references, loose ones over them", func(t *testing.T, dir string) (string, []string) {
		good := gittest.Git(t, dir, "rev-parse", "v1.1.0")
		gittest.Git(t, dir, "tag", "-f", "v1.1.0", "v1.0.0")
		gittest.Git(t, dir, "pack-refs", "--all")
		return here("update-ref", "refs/tags/v1.1.0", good)(t, dir)
	}, ""},
	{"many packs", func(t *testing.T, dir string) (string, []string) {
		for _, object := range strings.Fields(gittest.Git(t, dir, "rev-list", "--all")) {
			cmd := "echo " + object + " | git pack-objects -q .git/objects/pack/pack >/dev/null"
			gittest.Git(t, dir, "-c", "alias.x=!"+cmd, "x")
		}
		gittest.Git(t, dir, "prune-packed")
		return dir, nil
	}, ""},
	{"packs named by `git maintenance`", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "maintenance", "run", "--task=loose-objects")
		return here("maintenance", "run", "--task=loose-objects")(t, dir)
	}, ""},
	{"multi-pack-index", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "repack", "-q", "-d")
		return here("multi-pack-index", "write")(t, dir)
	}, ""},
	{"index of version 1", here("-c", "pack.indexVersion=1", "repack", "-q", "-a", "-d"), ""},
	{"index with 64-bit offsets, as packs above 2 GiB have", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "repack", "-q", "-a", "-d")
		pack := one(t, dir, ".git/objects/pack/*.pack")
		must(t, os.Remove(strings.TrimSuffix(pack, ".pack")+".idx"))
		return here("index-pack", "--index-version=2,0x20", pack)(t, dir)
	}, ""},
	{"a pack without its index beside others", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "repack", "-q", "-a", "-d")
		return writing(".git/objects/pack/pack-"+strings.Repeat("0", 40)+".pack", "PACK")(t, dir)
	}, ""},
	{"commit-graph", here("commit-graph", "write", "--reachable"), ""},
	{"commit-graph in a chain", here("commit-graph", "write", "--reachable", "--split"), ""},
	{"stale commit-graph", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "branch", "old", "v1.0.0")
		graph := "git rev-parse old | git commit-graph write --stdin-commits"
		return here("-c", "alias.x=!"+graph, "x")(t, dir)
	}, ""},
	{"corrupt commit-graph", writing(".git/objects/info/commit-graph", "CGPH\x01\x01\x05\x00garbage"), ""},
	{"`git replace`", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "replace", "--graft", "topic", "v1.0.0~0")
		return dir, nil
	}, ""},
	{"`info/grafts`", func(t *testing.T, dir string) (string, []string) {
		graft := gittest.Git(t, dir, "rev-parse", "topic", "v1.0.0^{commit}")
		return writing(".git/info/grafts", strings.ReplaceAll(graft, "\n", " ")+"\n")(t, dir)
	}, ""},
	{"sparse checkout (`extensions.worktreeConfig`)", here("sparse-checkout", "set", "sub"), ""},
	{"`gh pr checkout` (`branch.<name>.merge` without a branch)", here("config", "branch.main.merge", "refs/pull/1/head"), ""},
	{"configuration of newer tools", configured("[extensions]\n\tpreciousObjects = true\n[branch.foo]\n\trebase = merges/yes\n[pack]\n\twindow = 1k\n[remote \"origin\"]\n\tfetch = ^refs/heads/old\n"), ""},
	{"stray files among the references", writing(".git/refs/tags/.DS_Store", "x", ".git/refs/tags/v2.0.0.lock", "", ".git/refs/tags/v3.0.0", "", ".git/refs/heads/x", "garbage\n"), ""},
	{"no work tree left", func(t *testing.T, dir string) (string, []string) {
		must(t, os.RemoveAll(filepath.Join(dir, "sub")))
		return dir, nil
	}, ""},
	{"partial clone without blobs", partialClone("blob:none"), ""},
	{"partial clone without trees", partialClone("tree:0"), ""},

	{"shallow clone", func(t *testing.T, dir string) (string, []string) {
		to := filepath.Join(t.TempDir(), "to")
		gittest.Git(t, dir, "clone", "-q", "--depth=1", "file://"+dir, to)
		return to, nil
	}, "hint: git fetch --unshallow --tags"},
	{"a commit is lost", func(t *testing.T, dir string) (string, []string) {
		must(t, os.Remove(loose(dir, gittest.Git(t, dir, "rev-parse", "topic"))))
		return dir, nil
	}, "hint: git fsck"},
	{"a release tag is lost", func(t *testing.T, dir string) (string, []string) {
		must(t, os.Remove(loose(dir, gittest.Git(t, dir, "rev-parse", "v1.0.0"))))
		return dir, nil
	}, "hint: git fsck"},

	{"no repository", func(t *testing.T, dir string) (string, []string) { return t.TempDir(), nil }, "not a git repository"},
	{"no commit yet", func(t *testing.T, dir string) (string, []string) {
		to := t.TempDir()
		return here("init", "-q")(t, to)
	}, "v1.1.0"},
	{"SHA-256", func(t *testing.T, dir string) (string, []string) {
		return here("init", "-q", "--object-format=sha256")(t, t.TempDir())
	}, "SHA-256"},
	{"reftable", configured("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n"), "reftable"},
	{"unknown extension", configured("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tfrobnicate = true\n"), "frobnicate"},
	{"format of the future", configured("[core]\n\trepositoryformatversion = 2\n"), "repositoryformatversion"},
	{"corrupt commit", corruptCommit, "hint: git fsck"},
	{"truncated pack", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "repack", "-q", "-a", "-d")
		pack := one(t, dir, ".git/objects/pack/*.pack")
		must(t, os.Chmod(pack, 0o666))
		must(t, os.Truncate(pack, 100))
		return dir, nil
	}, "hint: git fsck"},
	{"truncated index", func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "repack", "-q", "-a", "-d")
		idx := one(t, dir, ".git/objects/pack/*.idx")
		must(t, os.Chmod(idx, 0o666))
		must(t, os.Truncate(idx, 1000))
		return dir, nil
	}, "hint: git fsck"},
}

func loose(dir, hash string) string {
	return filepath.Join(dir, ".git", "objects", hash[:2], hash[2:])
}

func corruptCommit(t *testing.T, dir string) (string, []string) {
	name := loose(dir, gittest.Git(t, dir, "rev-parse", "topic"))
	must(t, os.Chmod(name, 0o666))
	must(t, os.WriteFile(name, []byte("no zlib"), 0o666))
	return dir, nil
}

func relativeWorktree(t *testing.T, dir string) (string, []string) {
	to := filepath.Join(dir, "wt")
	gittest.Git(t, dir, "worktree", "add", "-q", to)
	must(t, os.WriteFile(filepath.Join(to, ".git"), []byte("gitdir: ../.git/worktrees/wt\n"), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, ".git", "worktrees", "wt", "gitdir"), []byte("../../../wt/.git\n"), 0o666))
	configured("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trelativeWorktrees = true\n")(t, dir)
	return to, nil
}

func worktreeOfBare(t *testing.T, dir string) (string, []string) {
	bare, _ := elsewhere("clone", "-q", "--bare", "FROM", "TO")(t, dir)
	to := filepath.Join(t.TempDir(), "wt")
	gittest.Git(t, bare, "worktree", "add", "-q", to, "topic")
	return to, nil
}

func submodule(t *testing.T, dir string) (string, []string) {
	super := gittest.Build(t, "commit chore: super")
	gittest.Git(t, super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dir, "module")
	to := filepath.Join(super, "module")
	gittest.Git(t, to, "remote", "set-url", "origin", gittest.Git(t, dir, "config", "remote.origin.url"))
	return to, nil
}

func partialClone(filter string) func(t *testing.T, dir string) (string, []string) {
	return func(t *testing.T, dir string) (string, []string) {
		gittest.Git(t, dir, "config", "uploadpack.allowFilter", "true")
		to := filepath.Join(t.TempDir(), "to")
		gittest.Git(t, dir, "clone", "-q", "--no-checkout", "--filter="+filter, "file://"+dir, to)
		gittest.Git(t, to, "remote", "set-url", "origin", gittest.Git(t, dir, "config", "remote.origin.url"))
		return to, nil
	}
}
