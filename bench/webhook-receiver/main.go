// webhook-receiver answers POST with 204 at once, below /hang after -hang, and
// counts what comes by path. GET /stats?path=/p tells how many calls came and how
// many different webhook-id they had; for paths below /keep also each body and its instant.
//
//	webhook-receiver -http 127.0.0.1:8080 -hang 15s
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

type arrival struct {
	AtMs float64 `json:"atMs"`
	Body string  `json:"body"`
}

type path struct {
	Calls    int       `json:"calls"`
	Distinct int       `json:"distinct"`
	FirstMs  float64   `json:"firstMs"`
	LastMs   float64   `json:"lastMs"`
	AtOnce   int       `json:"atOnce"` // the most at the same time
	Arrivals []arrival `json:"arrivals,omitempty"`
	ids      map[string]struct{}
	now      int
}

var (
	mu    sync.Mutex
	paths = map[string]*path{}
)

func nowMs() float64 { return float64(time.Now().UnixMicro()) / 1000 }

func main() {
	address := flag.String("http", "127.0.0.1:0", "address")
	hang := flag.Duration("hang", 15*time.Second, "before an answer below /hang")
	flag.Parse()
	http.HandleFunc("/stats", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		p := paths[r.URL.Query().Get("path")]
		if p == nil {
			p = &path{}
		}
		_ = json.NewEncoder(w).Encode(p)
	})
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		leave := enter(r, string(body))
		if strings.HasPrefix(r.URL.Path, "/hang") {
			time.Sleep(*hang)
		}
		leave()
		w.WriteHeader(http.StatusNoContent)
	})
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() { log.Fatal(http.ListenAndServe(*address, nil)) }()
	<-stop
}

func enter(r *http.Request, body string) func() {
	at := nowMs()
	mu.Lock()
	defer mu.Unlock()
	p := paths[r.URL.Path]
	if p == nil {
		p = &path{ids: map[string]struct{}{}, FirstMs: at}
		paths[r.URL.Path] = p
	}
	p.Calls++
	p.LastMs = at
	p.now++
	p.AtOnce = max(p.AtOnce, p.now)
	p.ids[r.Header.Get("webhook-id")] = struct{}{}
	p.Distinct = len(p.ids)
	if strings.HasPrefix(r.URL.Path, "/keep") {
		p.Arrivals = append(p.Arrivals, arrival{at, body})
	}
	return func() {
		mu.Lock()
		p.now--
		mu.Unlock()
	}
}
