// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"github.com/spf13/pflag"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// addLibraryStoreFlags adds the library's flags about what stores the objects. Most are about an external etcd, some
// about every store.
func (o *Options) addLibraryStoreFlags(fs *pflag.FlagSet) {
	o.Recommended.Etcd.AddFlags(fs)
	// The flag is for the library's deletecollection, which this server replaces.
	utilruntime.Must(fs.MarkHidden("delete-collection-workers"))
	fs.Lookup("encryption-provider-config").Usage = "File with the configuration of encryption, for what is stored in any store."
}

// addServingFlags adds the library's flags about connections, with what differs for the certificate.
func (o *Options) addServingFlags(fs *pflag.FlagSet) {
	o.Recommended.SecureServing.AddFlags(fs)
	utilruntime.Must(fs.MarkDeprecated("cert-dir", "the server's own certificate is no longer a file"))
	fs.Lookup("tls-cert-file").Usage = "File with the serving certificate, and the CA's after it. Default: the server signs one " +
		"with the CA in its Secret."
}
