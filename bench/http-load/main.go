// http-load posts a JSON body over kept-alive connections for a while, as many
// at a time as there are connections, and prints rate and latency as JSON.
// "{{n}}" in the body is the running number of the request, modulo -mod.
//
//	http-load -url http://127.0.0.1:3000/api/v1/send -auth 'Bearer key' -c 10 -d 15s -body '{"to":"person-{{n}}@to.example"}'
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const timeout = 30 * time.Second

type result struct {
	mu        sync.Mutex
	latencies []time.Duration
	answers   map[string]int // status -> how many
	errors    int            // requests without an answer
	refused   string         // the last answer that was no success
}

func (r *result) add(latencies []time.Duration, answers map[int]int, errors int, refused string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latencies = append(r.latencies, latencies...)
	for status, count := range answers {
		r.answers[strconv.Itoa(status)] += count
	}
	r.errors += errors
	if refused != "" {
		r.refused = refused
	}
}

func main() {
	url := flag.String("url", "", "address")
	auth := flag.String("auth", "", "Authorization header")
	conns := flag.Int("c", 10, "connections")
	length := flag.Duration("d", 15*time.Second, "how long")
	body := flag.String("body", "{}", "JSON body")
	mod := flag.Int64("mod", 50000, "wrap {{n}} at this number")
	flag.Parse()

	client := &http.Client{Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: *conns, MaxConnsPerHost: *conns}}
	parts := strings.Split(*body, "{{n}}")
	r := &result{answers: map[string]int{}}
	var next atomic.Int64
	start := time.Now()
	end := start.Add(*length)
	var wg sync.WaitGroup
	for range *conns {
		wg.Go(func() {
			var latencies []time.Duration
			answers := map[int]int{}
			errors, refused := 0, ""
			for time.Now().Before(end) {
				n := strconv.FormatInt((next.Add(1)-1)%*mod, 10)
				sent := time.Now()
				status, answer, err := post(client, *url, *auth, strings.Join(parts, n))
				if err != nil {
					errors++
					refused = err.Error()
					time.Sleep(10 * time.Millisecond)
					continue
				}
				latencies = append(latencies, time.Since(sent))
				answers[status]++
				if status >= 300 {
					refused = answer
				}
			}
			r.add(latencies, answers, errors, refused)
		})
	}
	wg.Wait()
	took := time.Since(start).Seconds()
	slices.Sort(r.latencies)
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"seconds": took, "requests": len(r.latencies), "p50Ms": r.milliseconds(0.5), "p99Ms": r.milliseconds(0.99),
		"answers": r.answers, "errors": r.errors, "refused": r.refused,
		"cpuSeconds": time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds(),
	})
}

func post(client *http.Client, url, auth, body string) (int, string, error) {
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	req.Header.Set("Content-Type", "application/json")
	if auth != "" {
		req.Header.Set("Authorization", auth)
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	return res.StatusCode, string(answer), err
}

// milliseconds is the latency below which this share of the requests was.
func (r *result) milliseconds(share float64) float64 {
	if len(r.latencies) == 0 {
		return 0
	}
	at := min(int(share*float64(len(r.latencies))), len(r.latencies)-1)
	return float64(r.latencies[at].Microseconds()) / 1000
}
