#!/bin/sh
# Makes the secrets of the compose files beside it: `sudo ./make_secrets.sh HOST`, with the host of the database as the
# compose file names it. Each file belongs to the user of the container that reads it.
set -eu
cd "$(dirname "$0")"
host=${1:?name the host of the database: database for one_node.yaml, primary,standby for two_nodes.yaml}
install -d -m 700 secrets
if [ -n "$(ls secrets)" ]; then
  echo 'secrets/ has files already: keep them, or remove them with the volumes' >&2
  exit 2
fi
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
password=$(random)
# The users claviger, claviger-vault and postgres of the Dockerfile.
printf 'postgres://claviger:%s@%s/claviger?sslmode=disable\n' "$password" "$host" |
  install -m 600 -o 8787 /dev/stdin secrets/database_url
random | install -m 600 -o 8788 /dev/stdin secrets/passphrase
printf %s "$password" | install -m 600 -o 8789 /dev/stdin secrets/database_password
echo 'Keep a copy of secrets/passphrase elsewhere: no backup can be opened without it.'
