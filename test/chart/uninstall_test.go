// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// helmTimeout bounds an uninstall.
const helmTimeout = 2 * time.Minute

// uninstall runs helm uninstall. Simulated kubelets run no containers, so the test runs the program of the job's pod, as
// the pod's ServiceAccount, and writes into the pod's status how that ended. It returns what the program said.
func uninstall(t *testing.T) (said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), helmTimeout)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := cluster.Helm(ctx, "uninstall", localcluster.ServerName)
		ended <- err
	}()
	said = runPod(t, waitForPod(t))
	return said, <-ended
}

// waitForPod returns the running pod of the job.
func waitForPod(t *testing.T) *corev1.Pod {
	t.Helper()
	var found *corev1.Pod
	env.Eventually(t, "the pod of the uninstall", func(ctx context.Context) string {
		pods, err := cluster.Client().CoreV1().Pods(localcluster.ServerNamespace).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/component=uninstall"})
		if err != nil {
			return err.Error()
		}
		for i := range pods.Items {
			if pods.Items[i].Status.Phase == corev1.PodRunning {
				found = &pods.Items[i]
				return ""
			}
		}
		return "there is none"
	})
	return found
}

func runPod(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	kubeconfig, err := cluster.ServiceAccountKubeconfig(t.Context(), pod.Namespace, pod.Spec.ServiceAccountName)
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Concat(pod.Spec.Containers[0].Args, []string{"--kubeconfig=" + kubeconfig})
	said, err := exec.CommandContext(t.Context(), serverBinary(), args...).CombinedOutput()
	phase := corev1.PodSucceeded
	if err != nil {
		phase = corev1.PodFailed
	}
	status, err := json.Marshal(map[string]any{"status": map[string]any{"phase": phase}})
	if err != nil {
		t.Fatal(err)
	}
	kubectl().Must(t, "", "-n", pod.Namespace, "patch", "pod", pod.Name, "--subresource=status", "--type=merge", "-p", string(status))
	return string(said)
}
