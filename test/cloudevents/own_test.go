// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineapi"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// startTimeout bounds the start of a control plane and of a server.
const startTimeout = 6 * time.Minute

// What happens to machines, of both machine APIs. Nodes of the control plane wait for events of workers, wherever these
// are, so what is about them comes after the rest.
func TestMachines(t *testing.T) {
	t.Parallel()
	o := startOwn(t)
	t.Run("beside", func(t *testing.T) {
		t.Run("surge first", o.surgeFirst)
		t.Run("delete first", o.deleteFirst)
		t.Run("a reboot replaces nothing", o.rebootReplacesNothing)
		t.Run("a completed event deletes no machine", o.completedEventDeletesNothing)
		t.Run("a machine without owner", o.machineWithoutOwner)
		t.Run("a node names a machine that is not its own", o.forgedAnnotation)
		t.Run("canceled while a machine is added", o.canceledInItsSurge)
		t.Run("the new machine does not come", o.newMachineDoesNotCome)
		t.Run("two events of one machine", o.twoEventsOfOneMachine)
		t.Run("a person keeps pods", o.personKeepsPods)
		t.Run("document", o.document)
	})
	t.Run("control plane", o.controlPlane)
	t.Run("a control plane that nothing replaces", o.controlPlaneStays)
	t.Run("scenario", o.scenario)
}

// own is a control plane with both machine APIs, whose server a test may kill.
type own struct{ *env.Env }

// startOwn starts a control plane until the test's end. Its server leads as soon as it runs: one with another store waits
// until the lease of the process before has expired. Calls go to the server itself, since the aggregator needs a while to
// notice that there is another process.
func startOwn(t *testing.T) *own {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	options := env.ServerOptions()
	options.Store, options.ChartValues = localcluster.StoreEmbedded, machinesIn(metav1.NamespaceDefault)
	e, err := env.StartWith(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := machineapi.InstallOpenShift(ctx, e.Cluster.Dynamic()); err != nil {
		t.Fatal(err)
	}
	if err := machineapi.InstallClusterAPI(ctx, e.Cluster.Dynamic(), "v1beta1", "v1beta2"); err != nil {
		t.Fatal(err)
	}
	config, err := e.Server.Config(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if e.Maintenance, err = versioned.NewForConfig(config); err != nil {
		t.Fatalf("could not create a client: %v", err)
	}
	return &own{Env: e}
}

// machinesIn are the values of the chart that let the server replace machines in a namespace.
func machinesIn(namespace string) []string {
	return []string{"cloudEvents.machineAPI=true", "cloudEvents.machineNamespaces={" + namespace + "}"}
}

// crash ends the server as a power cut would, and starts it again.
func (o *own) crash(t *testing.T) {
	t.Helper()
	if err := o.Server.Kill(); err != nil {
		t.Fatalf("could not kill the server: %v", err)
	}
	if err := o.Server.Start(t.Context()); err != nil {
		t.Fatalf("could not start the server: %v", err)
	}
}
