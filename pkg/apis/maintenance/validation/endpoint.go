// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	maxCallSeconds    = 60
	maxCallsPerMinute = 6000
)

// ValidateMaintenanceEndpoint checks a new object. It does not check the status, since the server sets it.
func ValidateMaintenanceEndpoint(endpoint *v1beta1.MaintenanceEndpoint) field.ErrorList {
	metadataPath := field.NewPath("metadata")
	allErrs := apivalidation.ValidateObjectMeta(&endpoint.ObjectMeta, false, apivalidation.NameIsDNSSubdomain, metadataPath)
	if endpoint.ResourceVersion != "" {
		allErrs = append(allErrs, field.Forbidden(metadataPath.Child("resourceVersion"), "must not be set on a new object"))
	}
	return append(allErrs, validateEndpointSpec(&endpoint.Spec, field.NewPath("spec"))...)
}

// ValidateMaintenanceEndpointUpdate checks a changed object against the stored one. It does not check what is stored
// already and stays as it is.
func ValidateMaintenanceEndpointUpdate(newEndpoint, oldEndpoint *v1beta1.MaintenanceEndpoint) field.ErrorList {
	path := field.NewPath("spec")
	return broughtBy(validateEndpointSpec(&newEndpoint.Spec, path), func() field.ErrorList { return validateEndpointSpec(&oldEndpoint.Spec, path) })
}

func validateEndpointSpec(spec *v1beta1.MaintenanceEndpointSpec, path *field.Path) field.ErrorList {
	allErrs := validateUnion(membersOfEndpoint(spec), path)
	if spec.SecretRef != nil {
		allErrs = append(allErrs, validateSecretName(spec.SecretRef.Name, path.Child("secretRef", "name"))...)
	}
	allErrs = append(allErrs, validateCABundle(spec.CABundle, path.Child("caBundle"))...)
	allErrs = append(allErrs, validateOptional(spec.TimeoutSeconds, 1, maxCallSeconds, path.Child("timeoutSeconds"))...)
	return append(allErrs, validateOptional(spec.PerMinute, 1, maxCallsPerMinute, path.Child("perMinute"))...)
}

func membersOfEndpoint(spec *v1beta1.MaintenanceEndpointSpec) []member {
	secret := spec.SecretRef != nil
	withURL := func(endpoint *v1beta1.URLEndpoint, path *field.Path) field.ErrorList {
		return validateURLEndpoint(endpoint, secret, path)
	}
	return []member{
		memberOf("slack", spec.Slack, func(slack *v1beta1.SlackEndpoint, path *field.Path) field.ErrorList {
			return append(needsSecret(secret, path, "has the key token, or the key url of an incoming webhook"), validateURL(slack.URL, secret, path.Child("url"))...)
		}),
		memberOf("smtp", spec.SMTP, func(smtp *v1beta1.SMTPEndpoint, path *field.Path) field.ErrorList {
			return validateSMTP(smtp, secret, path)
		}),
		memberOf("prometheus", spec.Prometheus, withURL),
		memberOf("http", spec.HTTP, withURL),
		memberOf("webhook", spec.Webhook, withURL),
		memberOf("keystone", spec.Keystone, func(endpoint *v1beta1.URLEndpoint, path *field.Path) field.ErrorList {
			return append(needsSecret(secret, path, "has the key cloudprovider.conf"), validateURL(endpoint.URL, secret, path.Child("url"))...)
		}),
	}
}

func validateCABundle(bundle []byte, path *field.Path) field.ErrorList {
	switch {
	case len(bundle) == 0:
		return nil
	case len(bundle) > v1beta1.MaxCABundleBytes:
		return field.ErrorList{field.TooLong(path, "", v1beta1.MaxCABundleBytes)}
	case !hasOnlyCertificates(bundle):
		return field.ErrorList{field.Invalid(path, hidden, "must be one or more certificates as PEM, and nothing else, in base64")}
	}
	return nil
}

// hasOnlyCertificates allows texts before certificates, which tools write there.
func hasOnlyCertificates(bundle []byte) bool {
	for rest := bytes.TrimSpace(bundle); len(rest) > 0; rest = bytes.TrimSpace(rest) {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return false
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return false
		}
	}
	return true
}

// ValidateMaintenanceEndpointStatusUpdate checks the status of an object after a write to it. It does not check what
// is stored already and stays as it is.
func ValidateMaintenanceEndpointStatusUpdate(newEndpoint, oldEndpoint *v1beta1.MaintenanceEndpoint) field.ErrorList {
	return broughtBy(validateEndpointStatus(&newEndpoint.Status), func() field.ErrorList { return validateEndpointStatus(&oldEndpoint.Status) })
}

func validateEndpointStatus(status *v1beta1.MaintenanceEndpointStatus) field.ErrorList {
	if count := len(status.Threads); count > v1beta1.MaxThreads {
		return field.ErrorList{field.TooMany(field.NewPath("status", "threads"), count, v1beta1.MaxThreads)}
	}
	return nil
}
