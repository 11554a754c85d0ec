// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// leadAgain is how long after it failed a process that leads all the time begins to lead again.
const leadAgain = time.Second

// leadAlways elects this process, and again whenever lead fails.
func leadAlways(ctx context.Context, lead func(context.Context) error) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := lead(ctx); err != nil {
			klog.FromContext(ctx).Error(err, "Drainer does not lead")
		}
	}, leadAgain)
}
