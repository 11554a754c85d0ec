// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// RegistrationOptions is how the cluster finds this server. The defaults are the
// names that the chart gives.
type RegistrationOptions struct {
	// Service is the Service that the APIService points at, as namespace/name.
	Service string
	// APIService is the APIService whose caBundle the server keeps.
	APIService string
	// OwnPod is the pod that the server runs in, from the environment variables
	// POD_NAMESPACE and POD_NAME. It is empty outside a cluster.
	OwnPod types.NamespacedName
	// OwnPodUID is that of the pod, from the environment variable POD_UID. It may be empty.
	OwnPodUID string

	service types.NamespacedName
}

func newRegistrationOptions() *RegistrationOptions {
	return &RegistrationOptions{
		Service:    "maintenance-system/maintenance-apiserver",
		APIService: v1beta1.SchemeGroupVersion.Version + "." + v1beta1.GroupName,
	}
}

func (o *RegistrationOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Service, "service", o.Service,
		"Service through which the aggregator reaches this server, as namespace/name. The server's own serving "+
			"certificate, used unless --tls-cert-file is given, is for its DNS name. The Secret in its namespace that "+
			"has its name and -ca keeps the CA of that certificate.")
	fs.StringVar(&o.APIService, "apiservice", o.APIService,
		"APIService whose caBundle the server sets to the CA of its own serving certificate.")
}

func (o *RegistrationOptions) complete() error {
	o.OwnPodUID = os.Getenv("POD_UID")
	o.OwnPod = types.NamespacedName{Namespace: os.Getenv("POD_NAMESPACE"), Name: os.Getenv("POD_NAME")}
	if (o.OwnPod.Namespace == "") != (o.OwnPod.Name == "") {
		return errors.New("the environment must set both POD_NAMESPACE and POD_NAME, or neither")
	}
	o.service.Namespace, o.service.Name, _ = strings.Cut(o.Service, "/")
	return nil
}

func (o *RegistrationOptions) validate() []error {
	var errs []error
	if len(validation.IsDNS1123Label(o.service.Namespace)) > 0 || len(validation.IsDNS1035Label(o.service.Name)) > 0 {
		errs = append(errs, fmt.Errorf("--service must be namespace/name of a Service, not %q", o.Service))
	}
	if len(validation.IsDNS1123Subdomain(o.APIService)) > 0 {
		errs = append(errs, fmt.Errorf("--apiservice must be the name of an APIService, not %q", o.APIService))
	}
	return errs
}

// Namespace returns the namespace of the Service, in which the server keeps what is its own.
func (o *RegistrationOptions) Namespace() string { return o.service.Namespace }

// ServiceName is Service. The options must have been completed.
func (o *RegistrationOptions) ServiceName() types.NamespacedName { return o.service }

// ServerName returns the DNS name for the server's own certificate, by which the aggregator knows it.
func (o *RegistrationOptions) ServerName() string {
	return o.service.Name + "." + o.service.Namespace + ".svc"
}
