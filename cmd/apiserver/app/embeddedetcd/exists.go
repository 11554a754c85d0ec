// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package embeddedetcd

import "path/filepath"

// Exists says whether there is a store in dir, which Start would open. It may be an unusable one; Start says why then.
// Otherwise Start would make a new one.
func Exists(dir string) (bool, error) {
	state, err := readMarker(dir)
	if err != nil {
		return false, err
	}
	return state == stateReady || state == "" && exists(filepath.Join(dir, memberDir)), nil
}
