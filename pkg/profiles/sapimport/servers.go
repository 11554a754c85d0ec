// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudconf"
)

// The keys of Secrets of endpoints.
const (
	urlKey           = "url"
	tokenKey         = "token"
	usernameKey      = "username"
	passwordKey      = "password"
	cloudProviderKey = "cloudprovider.conf"
)

const ownMachine = "this server never calls its own machine, link-local addresses or metadata services: name the server otherwise"

// hookEndpoint is Slack by an incoming webhook, which is a credential.
func (p *plugin) hookEndpoint() string {
	hook := p.config.text("hook", required)
	if hook == "" {
		return ""
	}
	p.validURL("hook", hook)
	return p.endpoints.name("slack-"+p.name, "hook "+hook, v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{}},
		map[string]string{urlKey: hook})
}

// tokenEndpoint is Slack by its API.
func (p *plugin) tokenEndpoint() string {
	token := p.config.text("token", required)
	if token == "" {
		return ""
	}
	return p.endpoints.name("slack-"+p.name, "token "+token, v1beta1.MaintenanceEndpointSpec{Slack: &v1beta1.SlackEndpoint{}},
		map[string]string{tokenKey: token})
}

// prometheusEndpoint is a Prometheus server. Credentials in its URL go into the Secret.
func (p *plugin) prometheusEndpoint() string {
	address := p.config.text("url", required)
	if address == "" {
		return ""
	}
	parsed := p.validURL("url", address)
	if parsed == nil {
		return ""
	}
	secret := map[string]string{}
	if parsed.User != nil {
		secret[usernameKey] = parsed.User.Username()
		secret[passwordKey], _ = parsed.User.Password()
		parsed.User = nil
		p.config.say("url", Changed, "the user and the password are in the Secret of the endpoint")
	}
	if parsed.RawQuery != "" || parsed.Fragment != "" {
		p.config.say("url", Unmapped, "must not have a ? or a #: the controller loses it, too")
	}
	return p.endpoints.name("prometheus-"+p.name, "prometheus "+address,
		v1beta1.MaintenanceEndpointSpec{Prometheus: &v1beta1.URLEndpoint{URL: parsed.String()}}, secret)
}

// validURL reports a URL that this server does not call. It is not quoted, since it may have a password.
func (p *plugin) validURL(key, address string) *url.URL {
	parsed, err := url.Parse(address)
	switch {
	case err != nil, parsed.Scheme != "http" && parsed.Scheme != "https", parsed.Hostname() == "":
		p.config.say(key, Unmapped, "must be a URL such as https://prometheus.example.com")
		return nil
	case isOwnMachine(parsed.Hostname()):
		p.config.say(key, Unmapped, ownMachine)
	}
	return parsed
}

// isOwnMachine says whether a server is one that the server never calls.
func isOwnMachine(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsUnspecified()
	}
	return strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost")
}

// mailEndpoint is a mail server.
func (p *plugin) mailEndpoint() string {
	address, auth := p.config.text("address", required), p.config.flag("auth", required)
	identity, user, password := p.config.text("identity", optional), p.config.text("user", optional), p.config.text("password", optional)
	host, _, err := net.SplitHostPort(address)
	switch {
	case address == "":
		return ""
	case err != nil || host == "":
		p.config.say("address", Unmapped, "must be a name and a port, such as mail.example.com:587")
	case isOwnMachine(host):
		p.config.say("address", Unmapped, ownMachine)
	}
	smtp := &v1beta1.SMTPEndpoint{Address: address, TLS: v1beta1.SMTPStartTLS, Auth: v1beta1.SMTPNoAuthentication}
	if !auth {
		p.dropLogin()
		p.config.say("address", Changed, "the server must offer STARTTLS, which the controller uses only if it does; "+
			"for one that does not, set tls: None in the endpoint")
		return p.endpoints.name("mail-"+p.name, "mail "+address, v1beta1.MaintenanceEndpointSpec{SMTP: smtp}, nil)
	}
	if identity != "" && identity != user {
		p.config.say("identity", Unmapped, "must be left out or be the user: acting for another user is not supported")
	}
	if user == "" || password == "" {
		p.config.say("auth", Unmapped, "needs user and password")
	}
	smtp.Auth = v1beta1.SMTPPlain
	return p.endpoints.name("mail-"+p.name, strings.Join([]string{"mail", address, user, password}, " "),
		v1beta1.MaintenanceEndpointSpec{SMTP: smtp}, map[string]string{usernameKey: user, passwordKey: password})
}

func (p *plugin) dropLogin() {
	for _, key := range []string{"identity", "user", "password"} {
		if p.config.find(key) != nil {
			p.config.say(key, Dropped, "auth is false, so that nobody logs in")
		}
	}
}

// kubernikusEndpoint is Kubernikus in the region that cloudprovider.conf names.
func (p *plugin) kubernikusEndpoint() string {
	file := p.options.CloudProvider
	if file.Name == "" {
		p.config.say("cluster", Unmapped, "the region and the credentials are not known: name the file cloudprovider.conf with --cloud-provider-conf")
		return ""
	}
	region := cloudconf.Region(file.Text)
	if !regionForm.MatchString(region) {
		p.config.say("cluster", Unmapped, file.Name+` must have a line such as region="qa-de-1"`)
		return ""
	}
	return p.endpoints.name("kubernikus", "kubernikus",
		v1beta1.MaintenanceEndpointSpec{Keystone: &v1beta1.URLEndpoint{URL: "https://kubernikus." + region + ".cloud.sap"}},
		map[string]string{cloudProviderKey: string(file.Text)})
}
