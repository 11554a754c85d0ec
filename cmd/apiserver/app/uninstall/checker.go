// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	apiregistrationclient "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	maintenanceclient "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
)

// checker says whether the server can be uninstalled.
type checker struct {
	nodes       corev1client.NodeInterface
	holds       maintenanceclient.NodeMaintenanceInterface
	apiServices apiregistrationclient.APIServiceInterface
	// service is the server's Service.
	service types.NamespacedName
	// release is the name of Helm's release.
	release string
	// giveBack has all nodes given back, for which timeout is the limit.
	giveBack bool
	timeout  time.Duration
	// answerTimeout is how long the server may be away; interval is between two questions.
	answerTimeout, interval time.Duration
	out                     io.Writer
}

// run returns an error that says what is in the way, and what to do about it.
func (c *checker) run(ctx context.Context) error {
	if err := c.checkRegistrations(ctx); err != nil {
		return err
	}
	holds, err := c.list(ctx)
	if away(err) {
		return c.checkWithoutServer(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("could not list NodeMaintenances: %w", err)
	}
	if len(holds) > 0 && !c.giveBack {
		return fmt.Errorf("nodes are in maintenance, or are to be (%d): %s\n"+
			"Without the server, they would stay as they are. Give them back, and uninstall again:\n"+
			"  kubectl delete nodemaintenances.%s --all\n"+
			"  helm uninstall %[4]s --namespace %[5]s\n"+
			"Helm now takes the release for one that is being uninstalled. To go on using the server instead, or before an upgrade, run:\n"+
			"  helm rollback %[4]s --namespace %[5]s\n"+
			"To have the uninstall give the nodes back, upgrade after the rollback, with --reset-then-reuse-values --set uninstall.giveBack=true",
			len(nodesOf(holds)), describe(holds), v1beta1.GroupName, c.release, c.service.Namespace)
	}
	if err := c.giveAllBack(ctx, holds); err != nil {
		return err
	}
	return c.checkLeftBehind(ctx)
}

// list asks for a while, since the server may just be restarting.
func (c *checker) list(ctx context.Context) (holds []v1beta1.NodeMaintenance, err error) {
	timeout := wait.PollUntilContextTimeout(ctx, c.interval, c.answerTimeout, true, func(ctx context.Context) (bool, error) {
		var list *v1beta1.NodeMaintenanceList
		if list, err = c.holds.List(ctx, metav1.ListOptions{}); err == nil {
			holds = list.Items
		}
		return !away(err), nil
	})
	if err == nil && timeout != nil {
		return nil, timeout
	}
	return holds, err
}

// away says whether the server does not answer, or is not registered.
func away(err error) bool {
	var status apierrors.APIStatus
	return err != nil && (!errors.As(err, &status) || apierrors.IsNotFound(err) || apierrors.IsServiceUnavailable(err) ||
		apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsInternalError(err))
}
