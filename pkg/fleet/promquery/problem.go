// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package promquery

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	prometheusv1 "github.com/prometheus/client_golang/api/prometheus/v1"
)

const (
	noAnswer   = "Prometheus did not answer the query: "
	unreadable = "the answer of Prometheus could not be read: it must be an instant vector or a scalar"
	incomplete = "Prometheus answered with a warning, so the result may not be complete"
)

// fixedError is an error whose text is always the same, and says nothing of the server's address or of files.
type fixedError string

// Error implements error.
func (e fixedError) Error() string { return string(e) }

// problem says why there is no answer, in the same words for as long as it is the same problem: statuses are written when
// they change. What else the error says, such as the server's address, concerns the admin, and is for the log.
func (c *Client) problem(err error) string {
	var (
		known       fixedError
		certificate *tls.CertificateVerificationError
		refused     *prometheusv1.Error
		connection  net.Error
	)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("Prometheus did not answer within %s", c.timeout)
	case errors.As(err, &known):
		return noAnswer + known.Error()
	case errors.As(err, &certificate):
		return noAnswer + "its certificate is not trusted"
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.As(err, &connection), errors.Is(err, io.ErrUnexpectedEOF):
		return noAnswer + "the connection failed"
	default:
		return unreadable
	}
}

// refusal says what the server answered instead of a result.
func refusal(answer *prometheusv1.Error) string {
	switch answer.Type {
	case prometheusv1.ErrBadData:
		return "Prometheus does not accept the query: " + answer.Msg
	case prometheusv1.ErrClient, prometheusv1.ErrServer:
		return noAnswer + answer.Msg // it has the HTTP status
	case prometheusv1.ErrTimeout:
		return noAnswer + "it took too long"
	case prometheusv1.ErrBadResponse:
		return badResponse(answer)
	default:
		return noAnswer + "it could not work out the result"
	}
}

// badResponse says what is wrong with an answer that Prometheus does not give. The library's error has the HTTP status
// alone, such as that of a redirect to a login page, or else it may quote the answer.
func badResponse(answer *prometheusv1.Error) string {
	if status, found := strings.CutPrefix(answer.Msg, "bad response code "); found {
		return noAnswer + "it has the HTTP status " + status
	}
	return unreadable
}
