// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

// sender stands in for the HTTP client: it answers before it has read the request.
type sender struct{ sent *http.Request }

func (s *sender) Do(request *http.Request) (*http.Response, error) {
	s.sent = request
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func (s *sender) send(request *http.Request) error {
	answer, err := wholeRequests{s}.Do(request)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// What the SDK does with its body after the answer has begun keeps nothing of it from being sent.
func TestWholeRequests(t *testing.T) {
	given, body := io.Pipe()
	go func() {
		_, _ = io.WriteString(body, "Action=DescribeInstanceStatus")
		_ = body.Close()
	}()
	inner := &sender{}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://ec2.example.com", given)
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.send(request); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(given.Close(), inner.sent.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if sent, err := io.ReadAll(inner.sent.Body); err != nil || string(sent) != "Action=DescribeInstanceStatus" {
		t.Errorf("sent %q (%v), want the whole body", sent, err)
	}
}

func TestRequestsWithoutBody(t *testing.T) {
	for name, test := range map[string]struct {
		body    io.Reader
		wantErr string
	}{
		"none":       {},
		"unreadable": {body: iotest.ErrReader(errors.New("it is torn")), wantErr: "could not read the request: it is torn"},
	} {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://ec2.example.com", test.body)
			if err != nil {
				t.Fatal(err)
			}
			err = (&sender{}).send(request)
			if (err == nil) != (test.wantErr == "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("Do = %v, want %q", err, test.wantErr)
			}
		})
	}
}
