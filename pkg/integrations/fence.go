// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package integrations

import "net/http"

// Fence returns a transport that lets requests that write pass only while this process leads. A process that was paused
// may go on with what another one has undone meanwhile: clouds must not hear of it. nil: the process leads all the time.
type Fence func(next http.RoundTripper) http.RoundTripper

// Wrap returns the transport behind the fence.
func (f Fence) Wrap(next http.RoundTripper) http.RoundTripper {
	if f == nil {
		return next
	}
	return f(next)
}
