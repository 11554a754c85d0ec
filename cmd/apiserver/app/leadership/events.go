// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// record has the library write events about the lease, until stop is called: who leads, and who no longer does.
func (l *lock) record(ctx context.Context, client kubernetes.Interface) (stop func()) {
	broadcaster := record.NewBroadcaster(record.WithContext(context.WithoutCancel(ctx)))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(l.LeaseMeta.Namespace)})
	l.LockConfig.EventRecorder = broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "maintenance-apiserver"})
	return broadcaster.Shutdown
}
