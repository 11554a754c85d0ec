// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package workloop

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// NewRecorder returns a recorder that writes events of a component through the client, until stop is called. With another
// recorder it returns that one: tests have their own.
func NewRecorder(kube kubernetes.Interface, component string, other record.EventRecorder) (recorder record.EventRecorder, stop func()) {
	if other != nil {
		return other, func() {}
	}
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kube.CoreV1().Events("")})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: component}), broadcaster.Shutdown
}
