// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storeapi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// creates is how many holds all clients together create in one measurement.
const creates = 200

// BenchmarkCreate measures how long a create takes with each store, and the memory of the server after all of them.
// The holds are of stage Idle, each on another node that is not there, so that nothing else happens.
func BenchmarkCreate(b *testing.B) {
	stores := []struct {
		name    string
		options func() localcluster.ServerOptions
	}{
		{"embedded", func() localcluster.ServerOptions { return localcluster.ServerOptions{Store: "embedded"} }},
		{"etcd", func() localcluster.ServerOptions {
			return localcluster.ServerOptions{Store: "etcd", ExtraArgs: []string{"--etcd-servers=" + startEtcd(b)}}
		}},
		{"cluster", func() localcluster.ServerOptions { return localcluster.ServerOptions{Store: "cluster"} }},
	}
	for _, store := range stores {
		b.Run("store="+store.name, func(b *testing.B) {
			serve(b, store.options())
			for _, clients := range []int{1, 8, 50} {
				b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) { measure(b, clients) })
			}
		})
	}
}

// serve ends the server that runs, and starts another one, built without the race detector, until the next.
func serve(b *testing.B, options localcluster.ServerOptions) {
	b.Helper()
	e := env.Current(b)
	if _, err := e.Server.Terminate(b.Context()); err != nil {
		b.Fatal(err)
	}
	options.Binary, options.DataDir = e.PlainServerBinary(), filepath.Join(b.TempDir(), "data")
	server, err := e.Cluster.StartServer(b.Context(), options)
	if err != nil {
		b.Fatal(err)
	}
	e.Server = server
}

// startEtcd starts an etcd until the end of the benchmark, and returns its address.
func startEtcd(b *testing.B) string {
	b.Helper()
	e, dir := env.Current(b), b.TempDir()
	client, err := process.FreePort()
	if err != nil {
		b.Fatal(err)
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", client)
	peer := "unix://" + filepath.Join(dir, "peer")
	etcd, err := process.Start(process.Spec{
		Path: filepath.Join(e.Cluster.BinDir(), "etcd"), LogPath: filepath.Join(e.Cluster.LogDir(), "bench-etcd.log"),
		Args: []string{
			"--name=bench", "--data-dir=" + filepath.Join(dir, "etcd"), "--log-level=warn",
			"--listen-client-urls=" + url, "--advertise-client-urls=" + url,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=http://localhost:2380", "--initial-cluster=bench=http://localhost:2380",
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = etcd.Kill() })
	return url
}

func measure(b *testing.B, clients int) {
	var took []time.Duration
	for range b.N {
		took = append(took, createAll(b, clients)...)
	}
	slices.Sort(took)
	milliseconds := func(share int) float64 {
		return float64(took[(len(took)-1)*share/100].Microseconds()) / 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(50), "p50-ms")
	b.ReportMetric(milliseconds(99), "p99-ms")
	b.ReportMetric(resident(b, env.Current(b).Server.PID()), "server-MiB")
}

// createAll returns how long each create took, and removes what was created.
func createAll(b *testing.B, clients int) []time.Duration {
	b.Helper()
	ctx, e := b.Context(), env.Current(b)
	took := make([]time.Duration, creates)
	var creating sync.WaitGroup
	for client := range clients {
		holds := e.MaintenanceAs(b, fmt.Sprintf("bench-%d", client), "system:masters").MaintenanceV1beta1().NodeMaintenances()
		creating.Go(func() {
			for i := client; i < creates; i += clients {
				hold := &v1beta1.NodeMaintenance{
					ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"},
					Spec:       v1beta1.NodeMaintenanceSpec{NodeName: fmt.Sprintf("absent-%d", i), Stage: v1beta1.StageIdle},
				}
				began := time.Now()
				if _, err := holds.Create(ctx, hold, metav1.CreateOptions{}); err != nil {
					b.Error(err)
				}
				took[i] = time.Since(began)
			}
		})
	}
	creating.Wait()
	removeAll(ctx, b, e)
	return took
}

func removeAll(ctx context.Context, b *testing.B, e *env.Env) {
	b.Helper()
	holds := e.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	if err := holds.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		b.Fatal(err)
	}
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, env.Timeout, true, func(ctx context.Context) (bool, error) {
		left, err := holds.List(ctx, metav1.ListOptions{})
		return err == nil && len(left.Items) == 0, err
	})
	if err != nil {
		b.Fatalf("the holds do not end: %v", err)
	}
}

// resident is how much memory the process has, in MiB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kilobytes float64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		b.Fatal(err)
	}
	return kilobytes / 1024
}
