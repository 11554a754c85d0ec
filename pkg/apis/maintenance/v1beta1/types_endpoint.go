// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceEndpoint is a server that profiles may call, in the cluster or outside. Only endpoints have URLs
// and name Secrets, so that admins decide where the server may call, and with which credentials. Whoever
// writes a profile needs the verb use on the endpoints that it names.
type MaintenanceEndpoint struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is where the endpoint is, and how it is called.
	// +optional
	Spec MaintenanceEndpointSpec `json:"spec,omitempty"`
	// status is what the server remembers. Only the server writes it.
	// +optional
	Status MaintenanceEndpointStatus `json:"status,omitempty"`

	// Unknown is what a newer version of the server has stored in this object. See NodeMaintenance.
	Unknown UnknownFields `json:"-"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MaintenanceEndpointList is a list of MaintenanceEndpoints.
type MaintenanceEndpointList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the MaintenanceEndpoints.
	Items []MaintenanceEndpoint `json:"items"`
}

// MaintenanceEndpointSpec is where an endpoint is, and how it is called. Exactly one of slack, smtp, prometheus,
// http, webhook and keystone is set. The server never calls addresses of its own machine, link-local ones and
// those of cloud metadata services, and never follows redirects.
type MaintenanceEndpointSpec struct {
	// slack is Slack, or a server that speaks its API.
	// +optional
	Slack *SlackEndpoint `json:"slack,omitempty"`
	// smtp is a mail server.
	// +optional
	SMTP *SMTPEndpoint `json:"smtp,omitempty"`
	// prometheus is a Prometheus server, or one that speaks its API.
	// +optional
	Prometheus *URLEndpoint `json:"prometheus,omitempty"`
	// http is an HTTP server for checks.
	// +optional
	HTTP *URLEndpoint `json:"http,omitempty"`
	// webhook is an HTTP server for triggers and notifiers.
	// +optional
	Webhook *URLEndpoint `json:"webhook,omitempty"`
	// keystone is an HTTP server that is called with a token of OpenStack Keystone. The key
	// cloudprovider.conf of the Secret says where Keystone is, and has the credentials.
	// +optional
	Keystone *URLEndpoint `json:"keystone,omitempty"`
	// secretRef is the Secret with the credentials, in the namespace that the flag --secret-namespace names.
	// The server reads its keys url (instead of the url here), token (sent as a bearer token), username and
	// password (basic authentication, or that of smtp), hmacKey (signs webhooks) and cloudprovider.conf (for
	// keystone). Whoever sets it, or changes an endpoint that has it, needs the right to get the Secret. If not
	// set, the endpoint is called without credentials.
	// +optional
	SecretRef *EndpointSecretReference `json:"secretRef,omitempty"`
	// caBundle are the CAs, as PEM, that the server's certificate must be signed by. At most 64 KiB. If not
	// set, it is the CAs of the system.
	// +optional
	CABundle []byte `json:"caBundle,omitempty"`
	// timeoutSeconds is how long a call may take. From 1 to 60. Defaults to 10.
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
	// perMinute is how many calls there may be in a minute. More of them wait. From 1 to 6000. Defaults to
	// 60.
	// +optional
	PerMinute *int32 `json:"perMinute,omitempty"`
}

// EndpointSecretReference names a Secret.
type EndpointSecretReference struct {
	// name is its name. Required.
	Name string `json:"name"`
}

// URLEndpoint is a server that has a URL.
type URLEndpoint struct {
	// url is where it is, such as https://prometheus.example.com/base. The scheme is https; without a
	// secretRef, it may be http. It has no user, no query and no fragment. If not set, the key url of the Secret has it.
	// +optional
	URL string `json:"url,omitempty"`
}

// SlackEndpoint is Slack. If the Secret has the key token, messages are posted with Slack's API. If not, its key
// url is an incoming webhook, which cannot start threads.
type SlackEndpoint struct {
	// url is where the API is. Only with the key token. If not set, it is https://slack.com/api/.
	// +optional
	URL string `json:"url,omitempty"`
}

// SMTPEndpoint is a mail server.
type SMTPEndpoint struct {
	// address is its name and port, such as mail.example.com:587. Required.
	Address string `json:"address"`
	// tls is how the connection is encrypted. StartTLS begins in plain text, and sends nothing if the server
	// does not offer encryption. TLS encrypts from the beginning. None does not encrypt, and is refused
	// together with credentials. Defaults to StartTLS.
	// +optional
	TLS SMTPEncryption `json:"tls,omitempty"`
	// auth is how the server logs in, with the keys username and password of the Secret: Plain, Login, CRAMMD5
	// or None. Defaults to Plain if secretRef is set, else to None.
	// +optional
	Auth SMTPAuthentication `json:"auth,omitempty"`
}

// SMTPEncryption is how a connection to a mail server is encrypted.
// +enum
type SMTPEncryption string

const (
	// SMTPStartTLS begins in plain text and then encrypts.
	SMTPStartTLS SMTPEncryption = "StartTLS"
	// SMTPTLS encrypts from the beginning.
	SMTPTLS SMTPEncryption = "TLS"
	// SMTPUnencrypted does not encrypt.
	SMTPUnencrypted SMTPEncryption = "None"
)

// SMTPAuthentication is how the server logs in to a mail server.
// +enum
type SMTPAuthentication string

const (
	// SMTPPlain is the mechanism PLAIN.
	SMTPPlain SMTPAuthentication = "Plain"
	// SMTPLogin is the mechanism LOGIN.
	SMTPLogin SMTPAuthentication = "Login"
	// SMTPCRAMMD5 is the mechanism CRAM-MD5.
	SMTPCRAMMD5 SMTPAuthentication = "CRAMMD5"
	// SMTPNoAuthentication does not log in.
	SMTPNoAuthentication SMTPAuthentication = "None"
)

// MaintenanceEndpointStatus is what the server remembers of an endpoint. The checks, steps and notifications of
// NodeProfiles say how their calls went.
type MaintenanceEndpointStatus struct {
	// threads are the threads in Slack that are in use. At most 64.
	// +optional
	// +listType=atomic
	Threads []SlackThread `json:"threads,omitempty"`
	// author is who wrote the spec last. The server asks again whether they may read the Secret, each time before it reads
	// it. An endpoint without an author gets no Secret: change its spec, or create it again.
	// +optional
	Author *Author `json:"author,omitempty"`
}

// Author is who wrote the spec of an object, as the server knew them then. Only the server sets it.
type Author struct {
	// username is the user's name.
	Username string `json:"username"`
	// uid is what tells the user from others of that name. Empty if the cluster does not have it.
	// +optional
	UID string `json:"uid,omitempty"`
	// groups are the groups of the user at that time, at most 16 KiB of them. What the cluster knows of the user besides
	// is not kept.
	// +optional
	// +listType=atomic
	Groups []string `json:"groups,omitempty"`
}

// SlackThread is a thread in Slack that notifications are posted to.
type SlackThread struct {
	// channel is the channel, as the notifiers name it.
	Channel string `json:"channel"`
	// notifier is the name of the notifiers that share the thread.
	Notifier string `json:"notifier"`
	// timestamp is what Slack calls the thread. Empty while its first message is being posted.
	// +optional
	Timestamp string `json:"timestamp,omitempty"`
	// since is when it was started.
	Since metav1.Time `json:"since"`
}
