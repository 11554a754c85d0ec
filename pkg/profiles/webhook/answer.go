// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// mostRetryAfter bounds how long a server can have its callers wait.
const mostRetryAfter = time.Hour

// temporary are the status codes from 400 to 499 after which a call may succeed.
var temporary = []int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests}

// Answer is what a server has answered. Its body does not count, and is not kept.
type Answer struct {
	// Status is the status code.
	Status int
	// RetryAfter is how long the server asks to wait, up to an hour; zero: it does not say.
	RetryAfter time.Duration
}

// Later says that the server has taken the event, and wants to be asked again.
func (a Answer) Later() bool { return a.Status == http.StatusAccepted }

// Done says that the server has taken the event, whether it wants to be asked again or not.
func (a Answer) Done() bool { return a.Status >= 200 && a.Status < 300 }

// Refused says that the server has refused the event, and would again.
func (a Answer) Refused() bool {
	return a.Status >= 400 && a.Status < 500 && !slices.Contains(temporary, a.Status)
}

// String names the status, such as "404 Not Found".
func (a Answer) String() string {
	if text := http.StatusText(a.Status); text != "" {
		return strconv.Itoa(a.Status) + " " + text
	}
	return strconv.Itoa(a.Status)
}

func answerOf(response *http.Response, now time.Time) Answer {
	return Answer{Status: response.StatusCode, RetryAfter: retryAfter(response.Header.Get("Retry-After"), now)}
}

// retryAfter reads a header that has seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		wait = date.Sub(now)
	}
	return min(max(wait, 0), mostRetryAfter)
}
