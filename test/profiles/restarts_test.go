// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"os"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// startTimeout bounds the start of a control plane and of a server.
const startTimeout = 6 * time.Minute

// What happens while the server does not run, or is killed, and what an ordinary server does not allow. These tests have a
// control plane of their own.
func TestRestarts(t *testing.T) {
	t.Parallel()
	o := startOwn(t)
	t.Run("beside", func(t *testing.T) {
		t.Run("slack loses its answer", o.slackLosesItsAnswer)
		t.Run("the clock goes forward", o.clockGoesForward)
		t.Run("each check is asked", o.asksEachCheck)
		t.Run("each trigger is done", o.doesEachTrigger)
		t.Run("each field that is patched exists", o.patchesNoUnknownField)
	})
	t.Run("a window closes meanwhile", o.windowClosesMeanwhile)
	t.Run("killed again and again", o.killedAgainAndAgain)
	t.Run("a reboot is the reboot", o.rebootIsTheReboot)
	t.Run("dies of an expression", o.diesOfAnExpression)
	t.Run("document", o.comesFromKured)
}

// own is a control plane whose server a test may kill.
type own struct {
	*env.Env
	// zones is where the server looks for time zones first.
	zones string
}

// startOwn starts a control plane until the test's end. Its server leads as soon as it runs: one with another store waits
// until the lease of the process before has expired. Calls go to the server itself, since the aggregator needs a while to
// notice that there is another process.
func startOwn(t *testing.T) *own {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	o := &own{zones: t.TempDir()}
	options := env.ServerOptions()
	options.Store = localcluster.StoreEmbedded
	options.ChartValues = ownValues(metav1.NamespaceDefault)
	options.ExtraArgs = []string{"--allow-loopback-endpoints"}
	options.Env = append(options.Env, "ZONEINFO="+o.zones)
	var err error
	if o.Env, err = env.StartWith(ctx, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			o.logEnd(t)
		}
		if err := o.Stop(); err != nil {
			t.Error(err)
		}
	})
	config, err := o.Server.Config(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if o.Maintenance, err = versioned.NewForConfig(config); err != nil {
		t.Fatalf("could not create a client: %v", err)
	}
	return o
}

// logEnd writes the end of the server's log. The log itself ends with the test.
func (o *own) logEnd(t *testing.T) {
	t.Helper()
	const most = 32 << 10
	content, err := os.ReadFile(o.Server.LogPath())
	t.Logf("%v; the server's log ends with\n%s", err, content[max(0, len(content)-most):])
}

// ownValues are those of the chart, with Jobs in a namespace.
func ownValues(jobs string) []string {
	return []string{
		"profiles.allowJobs=true", "profiles.jobNamespaces={" + jobs + "}",
		"profiles.readObjects[0].apiGroups={coordination.k8s.io}", "profiles.readObjects[0].resources={leases}",
		"profiles.readObjects[1].apiGroups[0]=", "profiles.readObjects[1].resources={pods}",
		"profiles.patchObjects[0].apiGroups={coordination.k8s.io}", "profiles.patchObjects[0].resources={leases}",
	}
}

func (o *own) newPool(t *testing.T, nodes int) *pool {
	t.Helper()
	return &pool{Pool: o.NewPool(t, nodes)}
}

// kill ends the server as a power cut would.
func (o *own) kill(t *testing.T) {
	t.Helper()
	if err := o.Server.Kill(); err != nil {
		t.Fatalf("could not kill the server: %v", err)
	}
}

// killAndLaunch has another process of the server take over.
func (o *own) killAndLaunch(t *testing.T) {
	t.Helper()
	o.kill(t)
	o.start(t)
}

// start starts the server again, and waits until it serves.
func (o *own) start(t *testing.T) {
	t.Helper()
	if err := o.Server.Start(t.Context()); err != nil {
		t.Fatalf("could not start the server: %v", err)
	}
}

// launch starts the server again, and does not wait until it serves.
func (o *own) launch(t *testing.T) {
	t.Helper()
	if err := o.Server.Launch(t.Context()); err != nil {
		t.Fatalf("could not start the server: %v", err)
	}
}
