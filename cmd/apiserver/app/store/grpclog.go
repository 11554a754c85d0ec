// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"io"
	"strings"
	"sync"

	"google.golang.org/grpc/grpclog"
	"k8s.io/klog/v2"
)

// QuietGRPC makes gRPC log its warnings with verbosity 2. They are only details: one for
// each attempt to connect, and some at every stop. Real problems show in the errors of
// calls, and in readyz. It must be called before gRPC is used.
var QuietGRPC = sync.OnceFunc(func() {
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, details{}, io.Discard))
})

// details logs what is written to it with verbosity 2.
type details struct{}

// Write never fails.
func (details) Write(line []byte) (int, error) {
	klog.Background().V(2).Info("gRPC", "message", strings.TrimSpace(string(line)))
	return len(line), nil
}
