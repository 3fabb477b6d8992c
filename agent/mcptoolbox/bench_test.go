package mcptoolbox_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/mcptoolbox"
)

// BenchmarkCall compares a call of a tool through the toolbox with one of the SDK
// alone, turn by turn, so that both meet the same machine. It reports the medians and
// the toolbox's overhead; ns/op is the time of one call of each.
func BenchmarkCall(b *testing.B) {
	b.Run("in memory", func(b *testing.B) {
		compareCalls(b, sdkServer(b, "calc", nil), sdkServer(b, "calc", nil))
	})
	b.Run("child process", func(b *testing.B) {
		compareCalls(b, &mcp.CommandTransport{Command: fakeCommand(b, "plain")}, mcptoolbox.Command(fakeCommand(b, "plain"), nil))
	})
}

func compareCalls(b *testing.B, forBare, forToolbox mcp.Transport) {
	// A heap as programs have it: with the few MB of this benchmark, garbage would be
	// collected, and stacks be shrunk, at every tenth call.
	heap := make([]byte, 64<<20)
	defer runtime.KeepAlive(heap)
	bare := bareCall(b, forBare)
	ours := toolboxCall(b, forToolbox)
	var bareTimes, ourTimes []time.Duration
	for turn := 0; b.Loop(); turn++ {
		if turn%2 == 0 { // neither is always the one that finds the caches warm
			bareTimes = append(bareTimes, timed(bare))
			ourTimes = append(ourTimes, timed(ours))
		} else {
			ourTimes = append(ourTimes, timed(ours))
			bareTimes = append(bareTimes, timed(bare))
		}
	}
	b.ReportMetric(float64(median(bareTimes)), "bare-ns")
	b.ReportMetric(float64(median(ourTimes)), "toolbox-ns")
	b.ReportMetric(100*(float64(median(ourTimes))/float64(median(bareTimes))-1), "overhead-%")
}

const benchArguments = `{"A":20,"B":22}`

func bareCall(b *testing.B, transport mcp.Transport) func() {
	client := mcp.NewClient(&mcp.Implementation{Name: "bare"}, nil)
	session, err := client.Connect(b.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close() })
	return func() {
		result, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "add", Arguments: json.RawMessage(benchArguments)})
		if err != nil || result.Content[0].(*mcp.TextContent).Text != "42" {
			b.Fatal(result, err)
		}
	}
}

func toolboxCall(b *testing.B, transport mcp.Transport) func() {
	box, err := mcptoolbox.Connect(b.Context(), transport, nil)
	if err != nil {
		b.Fatal(err)
	}
	cancelAtEnd(b, box)
	add := list(b, box)[0]
	return func() {
		if out, err := call(b.Context(), add, benchArguments); err != nil || out != "42" {
			b.Fatal(out, err)
		}
	}
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
