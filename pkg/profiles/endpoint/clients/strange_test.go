// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"io"
	"net"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Who lets the server call a port of something else learns nothing of what that says.
func TestWhatIsNoHTTPIsNotQuoted(t *testing.T) {
	for name, says := range map[string]string{
		"SSH":              "SSH-2.0-internal_9.6\r\n",
		"another protocol": "220 internal ESMTP\r\n",
		"an odd status":    "HTTP/1.1 internal OK\r\n\r\n",
		"an odd header":    "HTTP/1.1 200 OK\r\ninternal\r\n\r\n",
		"an odd length":    "HTTP/1.1 200 OK\r\nContent-Length: internal\r\n\r\n",
		"an odd encoding":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: internal\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() { defer close(done); sayTo(listener, says) }()
			t.Cleanup(func() { listener.Close(); <-done })
			w := newWorld(t)
			w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("http://" + listener.Addr().String())})
			_, err = w.get("e", "")
			wantError(t, w.Clean(err), "it does not answer as HTTP says", "internal", "127.0.0.1")
		})
	}
}

// sayTo answers each call with a text.
func sayTo(listener net.Listener, text string) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = connection.Read(make([]byte, 4096))
		_, _ = io.WriteString(connection, text)
		connection.Close()
	}
}
