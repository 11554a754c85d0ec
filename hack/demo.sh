#!/usr/bin/env bash
# Copyright The maintenance-apiserver Authors.
# SPDX-License-Identifier: Apache-2.0

# Shows on a real control plane how a node is taken out of service and given back. Run it
# with `make demo`, which builds what it needs.

set -o errexit
set -o nounset
set -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

dir=${CLUSTER_DIR:-.localcluster}
node=node-2
manifest=artifacts/examples/nodemaintenance.yaml
export KUBECONFIG="${PWD}/${dir}/kubeconfig"
export PATH="${PWD}/bin:${PATH}"

say() {
  printf '\n\033[1m# %s\033[0m\n' "$*"
}

# run shows a command as a user would type it, and runs it.
run() {
  printf '\033[36m$ %s\033[0m\n' "$*"
  "$@"
}

say "A Kubernetes control plane on loopback, simulated nodes and workloads, and our server"
make --no-print-directory up
kubectl delete nm "${node}" --ignore-not-found >/dev/null

say "The nodes, and the pods on ${node}"
run kubectl get nodes
run kubectl get pods --all-namespaces --field-selector "spec.nodeName=${node}"

say "Take ${node} out of service"
run cat "${manifest}"
run kubectl create -f "${manifest}"

say "Progress of the drain"
printf '\033[36m$ kubectl get nm --watch\033[0m\n'
kubectl get nm --watch &
watch=$!
trap 'kill "${watch}" 2>/dev/null || true' EXIT
kubectl wait --for=condition=Drained "nm/${node}" --timeout=5m >/dev/null
kill "${watch}"
wait "${watch}" 2>/dev/null || true

say "The node is cordoned, and only pods that belong to the node itself are left"
run kubectl get node "${node}"
run kubectl get pods --all-namespaces --field-selector "spec.nodeName=${node}"
run kubectl describe nm "${node}"

say "Give it back"
run kubectl delete nm "${node}"
run kubectl get node "${node}"
run kubectl events --for "node/${node}"

say "Try it yourself"
cat <<TEXT
The cluster runs until \`make down\`. To try more:

  export KUBECONFIG=${KUBECONFIG} PATH=${PWD}/bin:\$PATH
  kubectl explain nm.spec.drain --recursive
  kubectl create -f ${manifest}
  kubectl get nm -o wide --watch
TEXT
