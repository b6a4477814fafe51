#!/usr/bin/env bash
# Before a release: writes the bill of materials to build/sbom.json, and fails on anything known against a locked version,
# or where nobody could say (so it needs the network). Needs pip-audit and cyclonedx-bom.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
cyclonedx-py requirements packaging/requirements.lock -o build/sbom.json
pip-audit -r packaging/requirements.lock --require-hashes --disable-pip --strict
