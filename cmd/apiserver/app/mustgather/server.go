// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/redact"
)

// serverName is the name of the server's Service, and the value of the label of its pods.
const serverName = "maintenance-apiserver"

// serverContainer is the name of the server's container in its pods. Others may be injected.
const serverContainer = "server"

// longestLine bounds the memory for one line of a log. A longer one is no audit line for the story.
const longestLine = 1 << 20

// serverPods reads the pods of our server, and their logs.
func (g *gatherer) serverPods(ctx context.Context) error {
	c := g.index.begin("server/pods/", "the pods of our server, in the namespace "+g.options.namespace)
	var found []corev1.Pod
	g.read(ctx, c, list{
		resource: podResource, namespace: g.options.namespace, labelSelector: "app.kubernetes.io/name=" + serverName,
		folder: c.path, fields: redact.ServerPod, see: func(object *unstructured.Unstructured) bool {
			var pod corev1.Pod
			if as(object, &pod) {
				found = append(found, pod)
			}
			dropArguments(object)
			return true
		},
	})
	if len(found) == 0 && len(c.missing) == 0 {
		c.note("none there: the server runs elsewhere, or --namespace is another")
	}
	logs := g.index.begin("server/logs/", "the logs of our server")
	for i := range found {
		g.logs(ctx, logs, &found[i])
	}
	return nil
}

// dropArguments takes the arguments of containers out of a pod, but for those of our own: they may be secret.
func dropArguments(pod *unstructured.Unstructured) {
	containers, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
	for _, c := range containers {
		if c, ok := c.(map[string]any); ok && c["name"] != serverContainer {
			delete(c, "args")
		}
	}
	if containers != nil {
		_ = unstructured.SetNestedSlice(pod.Object, containers, "spec", "containers") // it was there
	}
}

func (g *gatherer) logs(ctx context.Context, c *chapter, pod *corev1.Pod) {
	for i := range pod.Status.ContainerStatuses {
		container := &pod.Status.ContainerStatuses[i]
		g.log(ctx, c, pod, container.Name, false)
		if container.RestartCount > 0 {
			g.log(ctx, c, pod, container.Name, true)
		}
	}
}

// log reads the end of a log. What there is of it is kept, even if the rest cannot be read.
func (g *gatherer) log(ctx context.Context, c *chapter, pod *corev1.Pod, container string, previous bool) {
	name := pod.Name + "-" + container + ".log"
	if previous {
		name = pod.Name + "-" + container + "-previous.log"
	}
	end := &tail{limit: maxLog}
	err := g.ask(ctx, func(ctx context.Context) error {
		request := g.raw.Get().AbsPath("/api/v1/namespaces", pod.Namespace, "pods", pod.Name, "log").
			Param("container", container).Param("previous", strconv.FormatBool(previous))
		if g.options.since > 0 {
			request.Param("sinceSeconds", strconv.Itoa(max(1, int(g.options.since/time.Second))))
		}
		stream, err := request.Stream(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = stream.Close() }()
		return g.readLog(stream, end)
	})
	if err != nil {
		c.failed(name, err)
	}
	content := end.bytes()
	if end.cut {
		c.note("%s is cut: only its last %d MiB are there", name, maxLog>>20)
		content = append(fmt.Appendf(nil, "Cut: only the last %d MiB of the log are here.\n", maxLog>>20), content...)
	}
	if len(content) > 0 {
		c.files++
		g.archive.add(c.path+name, content)
	}
}

// readLog keeps the end of a log, and tells the story of its audit lines.
func (g *gatherer) readLog(from io.Reader, end io.Writer) error {
	lines := bufio.NewReaderSize(from, longestLine)
	for {
		line, err := lines.ReadSlice('\n')
		_, _ = end.Write(line)
		g.story.Audit(line)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}
