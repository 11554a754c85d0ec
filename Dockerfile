# Built from the static binary of `make build`; nothing else is needed in it.
FROM scratch
COPY bin/maintenance-apiserver /maintenance-apiserver
USER 65532:65532
ENTRYPOINT ["/maintenance-apiserver"]
