// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/balance"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

// serverStopGrace is how long to wait for our server to end after SIGTERM. By default it takes 10 s at most, and its flags
// can have it take half a minute.
const serverStopGrace = time.Minute

// legacyGroups are the API groups of former operators.
const legacyGroups = "nodemaintenance.medik8s.io,nodemaintenance.kubevirt.io,kubevirt.io,machinemaintenance.managed.openshift.io"

// ServerOptions says how to run our server. The zero value is the same as in the command up.
type ServerOptions struct {
	// Binary is the server's program. Default: bin/maintenance-apiserver.
	Binary string
	// DataDir is the directory of its embedded store. Default: one in the cluster's directory.
	DataDir string
	// Port is its port on loopback. Default: the one of the server before it in
	// this cluster, else a free one.
	Port int
	// Legacy has the server serve the API groups of former operators as well, and take the
	// leases of nodes as these did.
	Legacy bool
	// Installed has Helm install the chart, unless a release of it is there, which is left as it is. Otherwise what
	// the chart makes is applied, which is faster, and no release. Tests of Helm's commands need one.
	Installed bool
	// Store is what stores its objects, as its flag --store says. Default: as the server chooses.
	Store string
	// ChartValues are given to the chart besides, as name=value. The server has the rights that follow from them, and not
	// the arguments: see ExtraArgs.
	ChartValues []string
	// ExtraArgs are appended to the arguments.
	ExtraArgs []string
	// Env is added to the environment of the calling process, as NAME=VALUE.
	Env []string
}

// Server is our API server, registered with the cluster's aggregator. It acts as
// the ServiceAccount of the chart, never as admin.
type Server struct {
	// Link is the way to kube-apiserver of a replica that was started Linked, else nil.
	Link *balance.Link

	cluster    *Cluster
	name       string // of its process and of its log
	options    ServerOptions
	kubeconfig string
	fixedPort  bool
	proc       *process.Process
}

// Exit is how a server ended.
type Exit struct {
	// Code is the exit code; -1 after a signal, or if another process started the server.
	Code int
	// Duration is the time from the signal, or from the call that waited, until it was gone.
	Duration time.Duration
}

// StartServer registers and starts our server and waits until it serves through the
// aggregator. If the server already runs with these options, it is not restarted.
func (c *Cluster) StartServer(ctx context.Context, options ServerOptions) (*Server, error) {
	s, err := c.NewServer(ctx, options)
	if err != nil {
		return nil, err
	}
	return s, s.Start(ctx)
}

// NewServer registers our server without starting it.
func (c *Cluster) NewServer(ctx context.Context, options ServerOptions) (*Server, error) {
	options, err := options.complete(c, binaries.MaintenanceAPIServer)
	if err != nil {
		return nil, err
	}
	s := &Server{cluster: c, name: binaries.MaintenanceAPIServer, options: options, fixedPort: options.Port != 0}
	if err := s.choosePort(); err != nil {
		return nil, err
	}
	if err := c.stopServersBut(ctx, s.name); err != nil {
		return nil, err
	}
	if err := s.register(ctx); err != nil {
		return nil, err
	}
	s.kubeconfig, err = c.serverKubeconfig(ctx)
	return s, err
}

// complete sets the defaults of a server with a name.
func (o ServerOptions) complete(c *Cluster, name string) (ServerOptions, error) {
	if o.Binary == "" {
		o.Binary = c.binary(binaries.MaintenanceAPIServer)
	}
	if _, err := os.Stat(o.Binary); err != nil {
		return o, fmt.Errorf("could not find our server, which make build builds: %w", err)
	}
	if o.DataDir == "" {
		o.DataDir = c.layout.data(name)
	}
	return o, nil
}

// choosePort prefers the port of the last server of this cluster, which the APIService
// already has.
func (s *Server) choosePort() (err error) {
	if s.options.Port == 0 {
		s.options.Port = s.cluster.serverPort()
	}
	if s.options.Port == 0 {
		s.options.Port, err = process.FreePort()
	}
	return err
}

// serverKubeconfig does not replace an existing kubeconfig, so that a running server need
// not be restarted.
func (c *Cluster) serverKubeconfig(ctx context.Context) (string, error) {
	path := c.layout.user(serviceaccount.MakeUsername(ServerNamespace, ServerName))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return c.ServiceAccountKubeconfig(ctx, ServerNamespace, ServerName)
}

// register applies the chart with the server's port.
func (s *Server) register(ctx context.Context) error {
	return s.cluster.register(ctx, s.options.Port, s.options)
}

// register applies the chart with the port on which the aggregator finds our server.
func (c *Cluster) register(ctx context.Context, port int, options ServerOptions) error {
	if err := c.setServerPort(ctx, port); err != nil {
		return err
	}
	if options.Installed {
		return c.installChart(ctx)
	}
	secrets := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": SecretNamespace},
	}}
	if err := c.apply(ctx, secrets); err != nil {
		return err
	}
	return c.ApplyChart(ctx, options.chartValues()...)
}

// chartValues are those that the options need.
func (o ServerOptions) chartValues() []string {
	values := []string{"profiles.secretNamespace=" + SecretNamespace}
	if o.Store == StoreCluster {
		values = append(values, "store.type=cluster", "store.etcd.servers=null")
	}
	if o.Legacy {
		values = append(values, "legacyGroups={"+legacyGroups+"}")
	}
	for _, arg := range o.ExtraArgs {
		if taints, found := strings.CutPrefix(arg, "--drain-taints="); found {
			values = append(values, "drainTaints={"+taints+"}")
		}
	}
	return append(values, o.ChartValues...)
}

// Start starts the server with the same arguments, port and data directory as before, and
// waits until it serves through the aggregator. If another program listens on its port, and
// the options set no port, Start chooses another port.
func (s *Server) Start(ctx context.Context) error {
	return s.cluster.step(s.name, func() (string, error) {
		started, err := s.start(ctx)
		if errors.Is(err, process.ErrPortTaken) && !s.fixedPort {
			err = process.WithFreePort(ctx, func(ctx context.Context, port int) (err error) {
				s.options.Port = port
				if err := s.register(ctx); err != nil {
					return err
				}
				started, err = s.start(ctx)
				return err
			})
		}
		if err != nil {
			return "", err
		}
		return describe(s.proc, started), nil
	})
}

// startTries is how often a server is started that gives up, because the machine is too busy for others to answer it.
const startTries = 3

// lateAnswers are in what a server says then.
var lateAnswers = regexp.MustCompile(`context deadline exceeded|no answer within|Client\.Timeout exceeded|i/o timeout`)

// start starts the server, and starts it again, as a kubelet does, when it gives up waiting for others.
func (s *Server) start(ctx context.Context) (started bool, err error) {
	for range startTries {
		if started, err = s.launch(ctx); err != nil {
			return started, err
		}
		if err = s.WaitReady(ctx); err == nil || !s.gaveUp(err) {
			break
		}
		_, _ = fmt.Fprintf(s.cluster.options.Log, "%-24s gave up waiting for others: %s\n", s.name, lastLine(err))
	}
	return started, err
}

// gaveUp says whether the server has ended because others have not answered in time. It says so in its last line.
func (s *Server) gaveUp(err error) bool {
	return s.proc.ExitCode() == 1 && lateAnswers.MatchString(lastLine(err))
}

func lastLine(err error) string {
	text := err.Error()
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// Launch starts the server, and does not wait until it is ready. It is for tests of starts
// that fail.
func (s *Server) Launch(ctx context.Context) error {
	_, err := s.launch(ctx)
	return err
}

func (s *Server) launch(ctx context.Context) (started bool, err error) {
	err = s.cluster.locked(ctx, func(ctx context.Context) error {
		s.proc, started, err = s.cluster.ensure(ctx, s.component())
		return err
	})
	return started, err
}

func (s *Server) component() component {
	policy := s.cluster.serverAuditPolicy()
	return component{
		name:    s.name,
		binary:  s.options.Binary,
		env:     s.options.Env,
		configs: []string{policy},
		args: slices.Concat([]string{
			"--kubeconfig=" + s.kubeconfig,
			"--data-dir=" + s.options.DataDir,
			"--bind-address=127.0.0.1",
			"--secure-port=" + strconv.Itoa(s.options.Port),
			"--audit-policy-file=" + policy,
			"--audit-log-path=" + s.AuditLogPath(),
			"--v=2", "--secret-namespace=" + SecretNamespace,
		}, s.storeArgs(), s.legacyArgs(), s.options.ExtraArgs),
	}
}

// legacyArgs are those that the chart gives the Deployment.
func (s *Server) legacyArgs() []string {
	if !s.options.Legacy {
		return nil
	}
	return []string{"--serve-legacy-groups=" + legacyGroups}
}

// SetExtraArgs has the server started with these further arguments from its next start on.
func (s *Server) SetExtraArgs(args ...string) { s.options.ExtraArgs = args }

// Pause stops the server's process where it is, as a machine that hangs does, until Continue.
func (s *Server) Pause() error { return s.proc.Signal(syscall.SIGSTOP) }

// Continue ends a Pause.
func (s *Server) Continue() error { return s.proc.Signal(syscall.SIGCONT) }

// Kill ends the server with SIGKILL and waits until it is gone.
func (s *Server) Kill() error {
	if s.proc == nil {
		return nil
	}
	return s.proc.Kill()
}

// Terminate ends the server with SIGTERM and waits until it is gone. It kills a
// server that takes longer than a minute, and returns an error then.
func (s *Server) Terminate(ctx context.Context) (Exit, error) {
	start := time.Now()
	if err := s.proc.Signal(syscall.SIGTERM); err != nil {
		return Exit{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, serverStopGrace)
	defer cancel()
	if err := s.proc.Wait(ctx); err != nil {
		return Exit{}, errors.Join(fmt.Errorf("server did not end after SIGTERM: %w", err), s.proc.Kill())
	}
	return Exit{Code: s.proc.ExitCode(), Duration: time.Since(start)}, nil
}

// Wait waits until the server has ended by itself.
func (s *Server) Wait(ctx context.Context) (Exit, error) {
	start := time.Now()
	if err := s.proc.Wait(ctx); err != nil {
		return Exit{}, fmt.Errorf("could not wait for server to end: %w", err)
	}
	return Exit{Code: s.proc.ExitCode(), Duration: time.Since(start)}, nil
}

// Command returns the command line of the server, for tests that start it with other flags.
// If a flag is given twice, the last one applies.
func (s *Server) Command() (binary string, args []string) {
	p := s.component()
	return p.binary, p.args
}

// Running reports whether the server runs.
func (s *Server) Running() bool { return s.proc != nil && !s.proc.Ended() }

// PID returns the server's process id; it must have been started.
func (s *Server) PID() int { return s.proc.PID }

// Name is what the server's process and its log are called, and what its user agent begins with.
func (s *Server) Name() string { return s.name }

// Address returns the server's address on loopback, as host:port.
func (s *Server) Address() string { return fmt.Sprintf("127.0.0.1:%d", s.options.Port) }

// Port returns the server's port on loopback.
func (s *Server) Port() int { return s.options.Port }

// MetricsCommand returns the command that prints the server's metrics, for the admin's kubeconfig.
// Without the server's address, kubectl would print those of kube-apiserver.
func (s *Server) MetricsCommand() string {
	return fmt.Sprintf("kubectl get --raw /metrics --server=https://127.0.0.1:%d --insecure-skip-tls-verify | grep ^maintenance_", s.options.Port)
}

// DataDir returns the directory of the server's embedded store.
func (s *Server) DataDir() string { return filepath.Clean(s.options.DataDir) }

// LogPath returns the path of the server's log, which has the output of all its starts.
func (s *Server) LogPath() string { return s.cluster.LogPath(s.name) }
