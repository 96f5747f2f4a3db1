#!/bin/sh
# Compares the answers of a running instance with its OpenAPI document. See bench/README.md.
# usage: EVERPOST_API_KEY=ep_live_… bench/schemathesis/run.sh [base URL] [options of `st run`]
set -eu
cd "$(dirname "$0")"
url="${1:-http://127.0.0.1:3000}"
[ $# -eq 0 ] || shift
exec "${SCHEMATHESIS:-st}" --config-file schemathesis.toml run "$url/api/v1/openapi.json" \
  --phases examples,coverage,fuzzing --suppress-health-check all --generation-database none "$@"
