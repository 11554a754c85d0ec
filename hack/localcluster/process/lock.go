// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockInterval is how often Lock tries to take a lock that another process holds.
const lockInterval = 100 * time.Millisecond

// Lock takes an exclusive lock on a file, which it creates if need be, and returns the
// function that unlocks it. If another process holds the lock, Lock calls waiting once, and
// then waits until it gets the lock or the context is done. The kernel unlocks the file
// when the process ends.
func Lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("could not open lock file: %w", err)
	}
	ticker := time.NewTicker(lockInterval)
	defer ticker.Stop()
	for attempt := 0; ; attempt++ {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("could not lock %s: %w", path, err), file.Close())
		}
		if attempt == 0 {
			waiting()
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("could not lock %s: %w", path, ctx.Err()), file.Close())
		}
	}
}
