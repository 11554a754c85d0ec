// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"k8s.io/apimachinery/pkg/util/wait"
)

// lockInterval is how often Lock tries to take a lock that another process holds.
const lockInterval = 100 * time.Millisecond

// Lock takes an exclusive lock on a file, which it creates if need be, and returns the
// function that unlocks it. If another process holds the lock, Lock calls waiting once, and
// then waits until it gets the lock or the context is done. The kernel unlocks the file
// when the process ends.
func Lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	var file *fileutil.LockedFile
	waitOnce := sync.OnceFunc(waiting)
	err = wait.PollUntilContextCancel(ctx, lockInterval, true, func(context.Context) (locked bool, err error) {
		file, err = fileutil.TryLockFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if errors.Is(err, fileutil.ErrLocked) {
			waitOnce()
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("could not lock %s: %w", path, err)
	}
	return func() { _ = file.Close() }, nil
}
