// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"net"
	"net/url"
	"strconv"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxURLBytes is longer than servers accept.
const maxURLBytes = 2048

var (
	smtpEncryptions = []v1beta1.SMTPEncryption{v1beta1.SMTPStartTLS, v1beta1.SMTPTLS, v1beta1.SMTPUnencrypted}
	smtpLogins      = []v1beta1.SMTPAuthentication{
		v1beta1.SMTPPlain, v1beta1.SMTPLogin, v1beta1.SMTPCRAMMD5, v1beta1.SMTPNoAuthentication,
	}
)

// needsSecret refuses a member of the spec, at the path, without a Secret.
func needsSecret(has bool, path *field.Path, what string) field.ErrorList {
	if has {
		return nil
	}
	return field.ErrorList{field.Required(path.Root().Child("secretRef"), "must name the Secret that "+what)}
}

func validateSecretName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "must be the name of a Secret in the server's namespace of Secrets")}
	}
	return validateName(name, apivalidation.NameIsDNSSubdomain, path)
}

func validateURLEndpoint(endpoint *v1beta1.URLEndpoint, secret bool, path *field.Path) field.ErrorList {
	if endpoint.URL == "" && !secret {
		return field.ErrorList{field.Required(path.Child("url"), "must be set, unless secretRef names a Secret with the key url")}
	}
	return validateURL(endpoint.URL, secret, path.Child("url"))
}

// validateURL checks a URL that may be left out, and may get the credentials of a Secret. Errors do not quote it: people put credentials into URLs.
func validateURL(text string, secret bool, path *field.Path) field.ErrorList {
	if text == "" {
		return nil
	}
	if len(text) > maxURLBytes {
		return field.ErrorList{field.TooLong(path, "", maxURLBytes)}
	}
	parsed, err := url.Parse(text)
	switch {
	case err != nil || parsed.Hostname() == "" || (parsed.Scheme != "https" && parsed.Scheme != "http"):
		return field.ErrorList{field.Invalid(path, hidden, "must be a URL, such as https://prometheus.example.com/base")}
	case parsed.User != nil:
		return field.ErrorList{field.Invalid(path, hidden, "must not have a user: the keys username and password of the Secret have it")}
	case parsed.RawQuery != "" || parsed.ForceQuery:
		return field.ErrorList{field.Invalid(path, hidden, `must not have a query, which begins with "?"; if it is secret, put the URL into the key url of the Secret`)}
	case parsed.Fragment != "":
		return field.ErrorList{field.Invalid(path, hidden, `must not have a fragment, which begins with "#"`)}
	case secret && v1beta1.Unencrypted(parsed):
		return field.ErrorList{field.Invalid(path, hidden, "must begin with https://: the credentials of secretRef must not go unencrypted")}
	}
	return nil
}

// hidden stands for a value that an error does not quote.
const hidden = "(not shown)"

func validateSMTP(smtp *v1beta1.SMTPEndpoint, secret bool, path *field.Path) field.ErrorList {
	allErrs := validateHostPort(smtp.Address, path.Child("address"))
	allErrs = append(allErrs, validateEnum(smtp.TLS, smtpEncryptions, path.Child("tls"))...)
	allErrs = append(allErrs, validateEnum(smtp.Auth, smtpLogins, path.Child("auth"))...)
	logsIn := smtp.Auth != v1beta1.SMTPNoAuthentication
	if logsIn {
		allErrs = append(allErrs, needsSecret(secret, path, "has the keys username and password; without one, set auth to None")...)
	}
	if smtp.TLS == v1beta1.SMTPUnencrypted && (logsIn || secret) {
		allErrs = append(allErrs, field.Invalid(path.Child("tls"), smtp.TLS, "must be StartTLS or TLS: the credentials of secretRef must not go unencrypted"))
	}
	return allErrs
}

func validateHostPort(address string, path *field.Path) field.ErrorList {
	const want = "must be a name and a port, such as mail.example.com:587"
	if address == "" {
		return field.ErrorList{field.Required(path, want)}
	}
	host, port, err := net.SplitHostPort(address)
	number, notNumber := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" || notNumber != nil || number == 0 {
		return field.ErrorList{field.Invalid(path, quoted(address), want)}
	}
	return nil
}
