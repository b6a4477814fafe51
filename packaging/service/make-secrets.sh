#!/usr/bin/env bash
# Makes the secrets that compose.yaml names, in the folder secrets beside it; those that are there stay.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p secrets
made() { [ -e "secrets/$1" ] || python3 -c 'import secrets; print(secrets.token_urlsafe(32), end="")' >"secrets/$1"; }
for name in api_key secrets_key database_password storage_key; do made "$name"; done
printf '{"identities": [{"name": "paperchute", "credentials": [{"accessKey": "paperchute", "secretKey": "%s"}], "actions": ["Admin"]}]}\n' \
  "$(cat secrets/storage_key)" >secrets/storage_users
# A container's user reads its mounted file by these rights; the folder keeps everybody else out.
chmod 0700 secrets
chmod 0444 secrets/*
