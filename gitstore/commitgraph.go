package gitstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
)

// Values in commit-graph files. See gitformat-commit-graph(5).
const (
	graphHeader     = 8
	graphChunkEntry = 12
	graphRecord     = int64(hashSize) + 16 // tree, two parents, generation and date
	graphNoParent   = 0x70000000
	graphMoreEdges  = 1 << 31 // parents go on in the list of edges; the last edge; an offset that overflows
	graphMaxLayers  = 64
	graphMaxParents = 1 << 10
)

// UnknownGeneration is the generation of commits that no commit-graph has. It is
// above all others: what has no number can't be below what has one.
const UnknownGeneration = math.MaxUint64

// A GraphCommit is what a commit-graph knows of a commit.
type GraphCommit struct {
	Tree       plumbing.Hash
	Parents    []plumbing.Hash
	Time       int64  // of the committer, in Unix time
	Generation uint64 // greater than that of every ancestor
}

// A CommitGraph answers about commits without reading them. It is safe for
// concurrent use.
type CommitGraph struct {
	layers    []*graphLayer // the lowest first
	corrected bool          // generations are corrected dates, not levels
}

// A graphLayer is one file; its commits are numbered on from those below it.
type graphLayer struct {
	file   *pagedFile
	chunks graphChunks
	first  int64 // number of the first commit
	count  int64
	fanout [256]uint32
}

// graphChunks are where the parts of a layer begin; 0 for those it lacks.
type graphChunks struct {
	fanout, hashes, commits, generations, overflow, edges int64
}

func (c *graphChunks) set(name string, offset int64) {
	part := map[string]*int64{
		"OIDF": &c.fanout, "OIDL": &c.hashes, "CDAT": &c.commits, "GDA2": &c.generations, "GDO2": &c.overflow, "EDGE": &c.edges,
	}[name]
	if part != nil {
		*part = offset
	}
}

var errGraph = errors.New("the commit-graph is damaged")

// openCommitGraph opens the single file or the chain of files below one of the object
// directories. Nil without error means that there is none.
func openCommitGraph(objectDirs []string) (*CommitGraph, error) {
	for _, dir := range objectDirs {
		info := filepath.Join(dir, "info")
		files := []string{filepath.Join(info, "commit-graph")}
		if _, err := os.Stat(files[0]); err != nil {
			files = graphChain(filepath.Join(info, "commit-graphs"))
		}
		if len(files) > 0 && len(files) <= graphMaxLayers {
			return openGraphLayers(files)
		}
	}
	return nil, nil
}

// graphChain lists the files of a split commit-graph, the lowest first.
func graphChain(dir string) (files []string) {
	for _, hashes := range hashLines(filepath.Join(dir, "commit-graph-chain")) {
		files = append(files, filepath.Join(dir, "graph-"+hashes[0].String()+".graph"))
	}
	return files
}

func openGraphLayers(files []string) (*CommitGraph, error) {
	g := &CommitGraph{corrected: true}
	for _, path := range files {
		layer, err := openGraphLayer(path, g.count())
		if err != nil {
			return nil, errors.Join(fmt.Errorf("reading commit-graph %q: %w", path, err), g.Close())
		}
		g.layers = append(g.layers, layer)
		g.corrected = g.corrected && layer.chunks.generations != 0
	}
	return g, nil
}

func openGraphLayer(path string, first int64) (*graphLayer, error) {
	file, err := openPaged(path, indexBytes)
	if err != nil {
		return nil, err
	}
	l := &graphLayer{file: file, first: first}
	if err := l.readTables(); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

func (l *graphLayer) readTables() error {
	head, err := l.read(0, graphHeader)
	if err != nil {
		return err
	}
	if string(head[:6]) != "CGPH\x01\x01" {
		return fmt.Errorf("%w: it begins with %q", errGraph, head[:6])
	}
	table, err := l.read(graphHeader, graphChunkEntry*(int64(head[6])+1))
	if err != nil {
		return err
	}
	for ; len(table) > 0; table = table[graphChunkEntry:] {
		l.chunks.set(string(table[:4]), int64(binary.BigEndian.Uint64(table[4:])&^(1<<63)))
	}
	if l.chunks.fanout == 0 || l.chunks.hashes == 0 || l.chunks.commits == 0 {
		return fmt.Errorf("%w: a part is missing", errGraph)
	}
	fanout, err := l.read(l.chunks.fanout, fanoutSize)
	if err != nil {
		return err
	}
	for i := range l.fanout {
		l.fanout[i] = binary.BigEndian.Uint32(fanout[4*i:])
		if i > 0 && l.fanout[i] < l.fanout[i-1] {
			return fmt.Errorf("%w: its first table is not sorted", errGraph)
		}
	}
	l.count = int64(l.fanout[255])
	_, err = l.read(l.chunks.commits+graphRecord*l.count, 1) // a checksum follows at least
	return err
}

// read returns n bytes at an offset.
func (l *graphLayer) read(offset, n int64) ([]byte, error) {
	data, err := l.file.view(offset, int(n))
	if err == nil && int64(len(data)) < n {
		err = errGraph
	}
	return data, err
}

// Close releases the open files.
func (g *CommitGraph) Close() error {
	var errs []error
	for _, l := range g.layers {
		errs = append(errs, l.file.Close())
	}
	return errors.Join(errs...)
}

func (g *CommitGraph) count() int64 {
	if len(g.layers) == 0 {
		return 0
	}
	top := g.layers[len(g.layers)-1]
	return top.first + top.count
}

// Commit looks a commit up. False means that the graph does not have it, or that
// what it says of it makes no sense.
func (g *CommitGraph) Commit(h plumbing.Hash) (GraphCommit, bool) {
	for i := len(g.layers) - 1; i >= 0; i-- {
		l := g.layers[i]
		if at, ok := l.find(h); ok {
			c, err := g.commit(l, at)
			return c, err == nil
		}
	}
	return GraphCommit{}, false
}

// find returns the number of a commit inside the layer.
func (l *graphLayer) find(h plumbing.Hash) (int64, bool) {
	low, high := int64(0), int64(l.fanout[h[0]])
	if h[0] > 0 {
		low = int64(l.fanout[h[0]-1])
	}
	at, ok, err := findHash(h, low, high, hashSize, func(from, to int64) ([]byte, error) {
		return l.read(l.chunks.hashes+from*int64(hashSize), (to-from)*int64(hashSize))
	})
	return at, ok && err == nil
}

func (l *graphLayer) hash(at int64) (h plumbing.Hash, err error) {
	data, err := l.read(l.chunks.hashes+int64(hashSize)*at, int64(hashSize))
	copy(h[:], data)
	return h, err
}

func (g *CommitGraph) commit(l *graphLayer, at int64) (c GraphCommit, err error) {
	record, err := l.read(l.chunks.commits+graphRecord*at, graphRecord)
	if err != nil {
		return c, err
	}
	copy(c.Tree[:], record)
	numbers := record[hashSize:]
	levelAndDate := binary.BigEndian.Uint64(numbers[8:])
	c.Time = int64(levelAndDate & (1<<34 - 1))
	if c.Generation, err = g.generation(l, at, levelAndDate>>34, c.Time); err != nil {
		return c, err
	}
	c.Parents, err = g.parents(l, binary.BigEndian.Uint32(numbers), binary.BigEndian.Uint32(numbers[4:]))
	return c, err
}

// generation is the corrected date where all layers have it, otherwise the level.
// Level 0 was written by versions of git that did not know levels.
func (g *CommitGraph) generation(l *graphLayer, at int64, level uint64, date int64) (uint64, error) {
	if !g.corrected {
		if level == 0 {
			return UnknownGeneration, nil
		}
		return level, nil
	}
	data, err := l.read(l.chunks.generations+4*at, 4)
	if err != nil {
		return 0, err
	}
	offset := uint64(binary.BigEndian.Uint32(data))
	if offset&graphMoreEdges != 0 {
		if l.chunks.overflow == 0 {
			return 0, errGraph
		}
		if data, err = l.read(l.chunks.overflow+8*int64(offset&^graphMoreEdges), 8); err != nil {
			return 0, err
		}
		offset = binary.BigEndian.Uint64(data)
	}
	return uint64(date) + offset, nil
}

// parents turns numbers into hashes; the second may stand for a list of edges.
func (g *CommitGraph) parents(l *graphLayer, first, second uint32) ([]plumbing.Hash, error) {
	if first == graphNoParent {
		return nil, nil
	}
	numbers := []uint32{first}
	switch {
	case second == graphNoParent:
	case second&graphMoreEdges == 0:
		numbers = append(numbers, second)
	default:
		more, err := l.edges(int64(second &^ graphMoreEdges))
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, more...)
	}
	parents := make([]plumbing.Hash, len(numbers))
	for i, number := range numbers {
		var err error
		if parents[i], err = g.hash(int64(number)); err != nil {
			return nil, err
		}
	}
	return parents, nil
}

// edges reads numbers of parents up to the one that is marked as the last.
func (l *graphLayer) edges(at int64) (numbers []uint32, err error) {
	if l.chunks.edges == 0 {
		return nil, errGraph
	}
	for len(numbers) < graphMaxParents {
		data, err := l.read(l.chunks.edges+4*(at+int64(len(numbers))), 4)
		if err != nil {
			return nil, err
		}
		number := binary.BigEndian.Uint32(data)
		numbers = append(numbers, number&^graphMoreEdges)
		if number&graphMoreEdges != 0 {
			return numbers, nil
		}
	}
	return nil, errGraph
}

// hash returns the hash of a commit by its number over all layers.
func (g *CommitGraph) hash(number int64) (plumbing.Hash, error) {
	for i := len(g.layers) - 1; i >= 0; i-- {
		if l := g.layers[i]; number >= l.first && number < l.first+l.count {
			return l.hash(number - l.first)
		}
	}
	return plumbing.ZeroHash, errGraph
}
