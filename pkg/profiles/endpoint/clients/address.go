// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

const dialTimeout = 10 * time.Second

// addressError is the reason why an address is not called. It does not have the address, which a Secret may name.
type addressError string

// Error implements error.
func (e addressError) Error() string { return "its address is refused: it is " + string(e) }

// The addresses that are not called.
const (
	errLoopback    addressError = "one of this machine itself (--allow-loopback-endpoints of the server allows it)"
	errLinkLocal   addressError = "a link-local one"
	errMetadata    addressError = "that of a cloud's metadata service"
	errMulticast   addressError = "a multicast one"
	errUnknownForm addressError = "of no known form"
	errNotKnown    addressError = "perhaps one of this machine, whose own could not be read"
)

// servicesInterface is where kube-proxy has the addresses of all Services in its mode ipvs. These are not the machine's own.
const servicesInterface = "kube-ipvs0"

// metadata are the addresses of metadata services that are not link-local: those of AWS and Google Cloud over IPv6, Azure,
// Alibaba Cloud and Oracle.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("fd20:ce::254/128"),
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("192.0.0.192/32"),
}

// thisNetwork means this machine.
var thisNetwork = netip.MustParsePrefix("0.0.0.0/8")

// translated are the prefixes of IPv6 addresses that mean an IPv4 address, and where its four bytes are: of NAT64, of SIIT, of
// the first transition to IPv6, of 6to4, and of NAT64 of one's own.
var translated = []struct {
	prefix netip.Prefix
	at     [4]int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), [4]int{12, 13, 14, 15}},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), [4]int{12, 13, 14, 15}},
	{netip.MustParsePrefix("::/96"), [4]int{12, 13, 14, 15}},
	{netip.MustParsePrefix("2002::/16"), [4]int{2, 3, 4, 5}},
	{ownNAT64, [4]int{12, 13, 14, 15}},
	{ownNAT64, [4]int{6, 7, 9, 10}},
	{ownNAT64, [4]int{7, 9, 10, 11}},
	{ownNAT64, [4]int{9, 10, 11, 12}},
}

// ownNAT64 is divided by whoever uses it. Where an address is depends on how (RFC 6052, 2.2): all places count.
var ownNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")

// dial connects to an address that may be called. It looks at each address that a name has, right before it connects: an
// answer that changes between two questions does not help anybody.
func (c *Clients) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{
		Timeout: dialTimeout, Resolver: c.config.Resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			if refused := c.refuses(address); refused != "" {
				return refused
			}
			return nil
		},
	}
	return dialer.DialContext(ctx, network, address)
}

// refuses says why an address with a port is not called; empty if it is.
func (c *Clients) refuses(address string) addressError {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return errUnknownForm
	}
	for _, ip := range meant(parsed.Addr()) {
		if refused := c.refusesIP(ip); refused != "" {
			return refused
		}
	}
	return ""
}

func (c *Clients) refusesIP(ip netip.Addr) addressError {
	own, err := isOwn(ip)
	switch {
	case slices.ContainsFunc(metadata, func(prefix netip.Prefix) bool { return prefix.Contains(ip) }):
		return errMetadata
	case ip.IsLinkLocalUnicast():
		return errLinkLocal
	case ip.IsMulticast(), ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return errMulticast
	case c.config.AllowLoopback:
		return ""
	case own, ip.IsLoopback(), ip.IsUnspecified(), thisNetwork.Contains(ip):
		return errLoopback
	case err != nil:
		return errNotKnown
	default:
		return ""
	}
}

// isOwn says whether an interface of this machine has an address. In the network of a node, all that listens there has it:
// the kubelet, and other servers that rely on nobody else reaching them. It asks each time, since interfaces change.
func isOwn(ip netip.Addr) (bool, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return false, err
	}
	for _, i := range interfaces {
		if i.Name == servicesInterface {
			continue
		}
		addresses, err := i.Addrs()
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(addresses, func(a net.Addr) bool {
			prefix, err := netip.ParsePrefix(a.String())
			return err == nil && prefix.Addr() == ip
		}) {
			return true, nil
		}
	}
	return false, nil
}

// meant are the addresses that packets to an address may end up at.
func meant(ip netip.Addr) []netip.Addr {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsUnspecified() {
		return []netip.Addr{ip}
	}
	var all []netip.Addr
	for _, form := range translated {
		if !form.prefix.Contains(ip) {
			continue
		}
		bytes, meant := ip.As16(), [4]byte{}
		for i, at := range form.at {
			meant[i] = bytes[at]
		}
		if len(all) == 0 || meant[0] != 0 { // the rest of a prefix is often zeros
			all = append(all, netip.AddrFrom4(meant))
		}
	}
	if len(all) == 0 {
		return []netip.Addr{ip}
	}
	return all
}
