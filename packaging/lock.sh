#!/usr/bin/env bash
# Writes the lock files anew: exact versions with hashes, for every platform and Python 3.11 or newer. Needs uv.
set -euo pipefail
cd "$(dirname "$0")/.."
lock() {  # NAME EXTRA...: of the program with these extras, at the versions that the tests have
  local name=$1 extras=() extra
  shift
  for extra in "$@"; do extras+=(--extra "$extra"); done
  uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header -q \
    "${upgrade[@]}" "${extras[@]}" "${of[@]}" -o "packaging/$name.lock"
}
of=(pyproject.toml packaging/build-requirements.in)
upgrade=(--upgrade)
lock requirements-dev dev engine scale telemetry mcp office
upgrade=(-c packaging/requirements-dev.lock --upgrade)
lock requirements engine
lock requirements-daemon
lock requirements-scale scale
lock requirements-telemetry scale telemetry
lock requirements-mcp mcp
lock requirements-office office
of=(packaging/bundle/requirements.in)
lock bundle/requirements  # what builds the self-contained folder
