// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// libraries are the goroutines that libraries keep for as long as the process
// lives, whoever uses them.
var libraries = []goleak.Option{
	// Flushes the log.
	goleak.IgnoreTopFunction("k8s.io/klog/v2.(*flushDaemon).run.func1"),
	// The check "log" of /livez: starts it once, to see that the log is flushed.
	goleak.IgnoreAnyFunction("k8s.io/apimachinery/pkg/util/wait.Forever"),
	// client-go keeps a transport for each cluster and user, and the transport its
	// idle connection. Connections to the server itself have ended with it.
	goleak.IgnoreAnyFunction("golang.org/x/net/http2.(*ClientConn).readLoop"),
}

// TestNothingIsLeftRunning runs the server in this process, in the place of the
// usual one, drains a node with it, and stops it in the middle of another drain.
func TestNothingIsLeftRunning(t *testing.T) {
	e := env.Current(t)
	pool := e.NewPool(t, 3)
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("web", 3, pool.Selector()).
		Deployment("guarded", 3, pool.Selector()).Budget("guarded", localcluster.MaxUnavailable("0")))
	keepServer(t)
	terminate(t)
	before := goleak.IgnoreCurrent()

	run := inProcess(t)
	stuck, short := pool.Hold("stuck", pool.Nodes[0]), pool.Hold("short", pool.Nodes[1])
	env.Eventually(t, "the server in this process serves", func(ctx context.Context) string {
		select {
		case err := <-run.ended:
			t.Fatalf("the server in this process ended with %v", err)
		default:
		}
		return notCreated(ctx, pool, stuck)
	})
	pool.WaitForHold(t, stuck.Name, "the drain is blocked", blockedOn(len(podsOf(t, pool, stuck.Spec.NodeName, "guarded"))))
	pool.Create(t, short)
	pool.Delete(t, short.Name)

	began := time.Now()
	run.stop()
	select {
	case err := <-run.ended:
		t.Logf("the server in this process stopped after %s", time.Since(began).Round(time.Millisecond))
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(promised):
		t.Fatal("the server in this process did not stop")
	}
	env.Eventually(t, "every goroutine has ended", func(context.Context) string {
		if err := goleak.Find(append(libraries, before)...); err != nil {
			return err.Error()
		}
		return ""
	})
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(e.Server.Port())))
	if err != nil {
		t.Fatalf("the server's port is not free: %v", err)
	}
	_ = listener.Close()
}

// notCreated says why a hold could not be created; "" when it was.
func notCreated(ctx context.Context, pool *env.Pool, hold *v1beta1.NodeMaintenance) string {
	_, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Create(ctx, hold, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err.Error()
	}
	return ""
}

// running is a server in this process.
type running struct {
	stop  context.CancelFunc
	ended chan error
}

// inProcess runs the server in this process, with the usual server's arguments, and a data
// directory of its own. As in the Deployment, the audit log is
// standard output: the library that writes it to a file never ends one goroutine.
func inProcess(t *testing.T) running {
	t.Helper()
	usual := env.Current(t).Server
	o := options.New()
	var groups cliflag.NamedFlagSets
	o.AddFlags(&groups)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, group := range groups.FlagSets {
		flags.AddFlagSet(group)
	}
	_, args := usual.Command()
	args = append(args, "--data-dir="+t.TempDir(), "--audit-log-path=-", "--v=0")
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.Complete(), errors.Join(o.Validate()...)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r := running{stop: cancel, ended: make(chan error, 1)}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		r.ended <- app.Run(ctx, o)
	}()
	t.Cleanup(func() {
		cancel()
		<-returned
	})
	return r
}
