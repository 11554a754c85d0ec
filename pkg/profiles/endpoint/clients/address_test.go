// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestRefusedAddresses(t *testing.T) {
	tests := map[string]addressError{
		"127.0.0.1:80":                        errLoopback,
		"127.8.9.1:80":                        errLoopback,
		"[::1]:80":                            errLoopback,
		"[::ffff:127.0.0.1]:80":               errLoopback,
		"[64:ff9b::7f00:1]:80":                errLoopback,
		"0.0.0.0:80":                          errLoopback,
		"0.1.2.3:80":                          errLoopback,
		"[::]:80":                             errLoopback,
		"169.254.169.254:80":                  errLinkLocal,
		"[::ffff:169.254.169.254]:80":         errLinkLocal,
		"[64:ff9b::a9fe:a9fe]:80":             errLinkLocal,
		"[fe80::1%eth0]:80":                   errLinkLocal,
		"[fd00:ec2::254]:80":                  errMetadata,
		"[fd00:ec2::23]:80":                   errMetadata,
		"[fd20:ce::254]:80":                   errMetadata,
		"[64:ff9b::a83f:8110]:80":             errMetadata,
		"[64:ff9b:1::7f00:1]:80":              errLoopback,
		"[64:ff9b:1:a9fe:a9:fe00:808:808]:80": errLinkLocal,
		"[64:ff9b:1:7f:0:100:808:808]:80":     errLoopback,
		"[64:ff9b:1:fffe::808:808]:80":        "",
		"[64:ff9b:1::808:808]:80":             "",
		"[::ffff:0:7f00:1]:80":                errLoopback,
		"[::7f00:1]:80":                       errLoopback,
		"[2002:7f00:1::]:80":                  errLoopback,
		"[2002:a9fe:a9fe::1]:80":              errLinkLocal,
		"168.63.129.16:80":                    errMetadata,
		"100.100.100.200:80":                  errMetadata,
		"192.0.0.192:80":                      errMetadata,
		"224.0.0.1:80":                        errMulticast,
		"255.255.255.255:80":                  errMulticast,
		"[ff02::1]:80":                        errMulticast,
		"example.com:80":                      errUnknownForm,
		"10.0.0.1:80":                         "",
		"192.168.1.1:443":                     "",
		"93.184.216.34:443":                   "",
		"[fd00::1]:443":                       "",
		"[2606:2800:220:1:248:1893::]:25":     "",
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range own {
		if ip := address.(*net.IPNet).IP; !ip.IsLinkLocalUnicast() {
			tests[net.JoinHostPort(ip.String(), "10250")] = errLoopback
		}
	}
	for address, want := range tests {
		t.Run(address, func(t *testing.T) {
			if got := New(Config{}).refuses(address); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if want == errLoopback {
				want = ""
			}
			if got := New(Config{AllowLoopback: true}).refuses(address); got != want {
				t.Errorf("with loopback allowed %q, want %q", got, want)
			}
		})
	}
}

// resolver returns one that answers with the address that now is.
func resolver(t *testing.T, now func() [4]byte) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply := answerTo(buffer[:n], now()); reply != nil {
				_, _ = server.WriteTo(reply, from)
			}
		}
	}()
	t.Cleanup(func() { server.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// itself is the address of the own machine.
func itself() [4]byte { return [4]byte{127, 0, 0, 1} }

// answerTo answers questions for an IPv4 address with one, and other ones with nothing.
func answerTo(query []byte, address [4]byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil {
		return nil
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body:   &dnsmessage.AResource{A: address},
		}}
	}
	reply, _ := m.Pack()
	return reply
}

func TestDNSRebinding(t *testing.T) {
	var called atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { called.Add(1) })
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	var now atomic.Value // a name may be looked up more than once for one call
	names := resolver(t, func() [4]byte { return now.Load().([4]byte) })
	w := newWorld(t, func(c *Config) { c.Resolver, c.AllowLoopback = names, false })
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("http://rebind.example:" + port)})
	for _, step := range []struct {
		address [4]byte
		want    addressError
	}{{itself(), errLoopback}, {[4]byte{169, 254, 169, 254}, errLinkLocal}, {itself(), errLoopback}} {
		now.Store(step.address)
		_, err := w.get("e", "")
		wantError(t, w.Clean(err), string(step.want), "127.0.0.1", "rebind.example")
	}
	if n := called.Load(); n != 0 {
		t.Errorf("the server was called %d times", n)
	}

	w = newWorld(t, func(c *Config) { c.Resolver = resolver(t, itself) })
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("http://allowed.example:" + port)})
	if _, err := w.get("e", ""); err != nil || called.Load() != 1 {
		t.Errorf("allowed: error %v, called %d times", err, called.Load())
	}
}

func TestMailServersAreLookedAtToo(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Resolver, c.AllowLoopback = resolver(t, itself), false })
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{SMTP: &v1beta1.SMTPEndpoint{Address: "mail.example:25"}})
	server, err := w.SMTP(t.Context(), "e")
	if err != nil {
		t.Fatal(err)
	}
	_, err = server.Dial(t.Context(), "tcp", "mail.example:25")
	if err == nil || !strings.Contains(err.Error(), string(errLoopback)) {
		t.Errorf("error %v", err)
	}
}
