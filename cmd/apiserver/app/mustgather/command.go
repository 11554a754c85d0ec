// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package mustgather collects into one archive what somebody needs who is to find out why a maintenance
// went as it did. It only reads, leaves out what may be private, and says what it could not read.
package mustgather

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
)

const (
	// requestTimeout is how long one request may take.
	requestTimeout = 30 * time.Second
	// maxAnswer is the longest answer to one request, in bytes, but for logs.
	maxAnswer = 64 << 20
	// maxLog is how much of a log is kept: its end, in bytes.
	maxLog = 10 << 20
	// pageSize is how many objects are asked for at a time.
	pageSize = 250
	// maxPages is how many pages of one list are read.
	maxPages = 1000
	// qps and burst are how fast requests may follow one another.
	qps, burst = 40, 80
)

const long = "Collect into one archive what tells how the maintenance of nodes went, and why it is stuck. The command only\n" +
	"reads, and leaves out secrets, the values of environment variables, and annotations of others' making. It goes on\n" +
	"where it may not read something, and says in the end what is missing. docs/must-gather.md shows what is in the archive."

const example = "  maintenance-apiserver must-gather\n" +
	"  maintenance-apiserver must-gather --since=2h --output=- | tar -tz"

// options are the command's flags.
type options struct {
	kubeconfig, output, namespace, auditLog, server string
	since, timeout                                  time.Duration
}

// NewCommand returns the command.
func NewCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:          "must-gather",
		Short:        "Collect what tells how maintenance went, for support",
		Long:         long,
		Example:      example,
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			config, err := subcommand.Config(o.kubeconfig, 0)
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), config, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	subcommand.AddKubeconfigFlag(flags, &o.kubeconfig)
	flags.StringVarP(&o.output, "output", "o", "", "File of the archive; - is the standard output. Default: must-gather-<time>.tar.gz.")
	flags.StringVarP(&o.namespace, "namespace", "n", "maintenance-system", "Namespace of the server.")
	flags.DurationVar(&o.since, "since", 0, "Leave out lines of logs, and events, that are older than this, as in 2h. Default: none.")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "How long to collect. What has not been read by then is missing, and the archive says so.")
	flags.StringVar(&o.auditLog, "audit-log", "", "File with the audit log of the server, or of kube-apiserver, if the server does not write it into its log.")
	flags.StringVar(&o.server, "server", "", "URL of the server itself, for its metrics, as in https://127.0.0.1:8443. Default: in a pod, its Service; else, "+
		"the Service through the API server, which passes on nobody's identity, so that the metrics are mostly refused.")
	subcommand.ShowOwnHelp(cmd)
	return cmd
}

func (o *options) validate() error {
	switch {
	case o.timeout <= 0:
		return fmt.Errorf("--timeout is %s, and must be more than 0", o.timeout)
	case o.since < 0:
		return fmt.Errorf("--since is %s, and must not be less than 0", o.since)
	case o.server != "" && !strings.HasPrefix(o.server, "https://"):
		return fmt.Errorf("--server is %q, and must begin with https://, since the command shows who you are", o.server)
	case o.namespace == "":
		return errors.New("--namespace must name the server's namespace")
	default:
		return nil
	}
}

// run writes the archive, and says on stderr where it is and what is missing.
func (o *options) run(ctx context.Context, config *rest.Config, stdout, stderr io.Writer) error {
	started := time.Now()
	folder := "must-gather-" + started.UTC().Format("20060102T150405Z")
	if o.output == "" {
		o.output = folder + ".tar.gz"
	}
	out, err := newOutput(o.output, stdout)
	if err != nil {
		return err
	}
	defer out.drop()
	g, err := newGatherer(*o, config, newArchive(out, folder, started))
	if err != nil {
		return err
	}
	if err := g.run(ctx); err != nil {
		return err
	}
	if err := out.keep(); err != nil {
		return err
	}
	_, err = io.WriteString(stderr, g.summary(out.name))
	return err
}
