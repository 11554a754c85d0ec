// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package panics keeps a panic in a goroutine of a request from ending the process. The library does so
// only in the goroutine that serves the request.
package panics

import (
	"context"
	"fmt"
	"runtime/debug"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
)

// ToError calls do and returns its error. If do panics, it logs the panic with its stack, and returns an
// error that is answered with 500.
func ToError(ctx context.Context, do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			klog.FromContext(ctx).Error(nil, "A request panicked", "panic", reason, "stack", string(debug.Stack()))
			err = apierrors.NewInternalError(fmt.Errorf("panic: %v", reason))
		}
	}()
	return do()
}
