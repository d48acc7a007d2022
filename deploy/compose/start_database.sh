#!/bin/sh
# Starts PostgreSQL: as a primary, or as the standby of the host that PRIMARY names. The first start makes its data, in a
# folder that gets its name once it is whole.
set -eu
password=/run/secrets/database_password

if [ ! -e "$PGDATA" ]; then
  new=$(dirname "$PGDATA")/new
  rm -rf "$new"
  if [ -n "${PRIMARY:-}" ]; then
    PGPASSWORD=$(cat "$password") pg_basebackup -D "$new" -R \
      -d "host=$PRIMARY user=replicator application_name=standby"
  else
    initdb -D "$new" --encoding=UTF8 --locale=C.UTF-8 --data-checksums --auth-local=peer --auth-host=scram-sha-256
    cat >>"$new/pg_hba.conf" <<'HBA'
host claviger claviger samenet scram-sha-256
host replication replicator samenet scram-sha-256
HBA
    cat >>"$new/postgresql.conf" <<'CONF'
listen_addresses = '*'
unix_socket_directories = '/tmp'
# A standby that was away finds what it has missed.
wal_keep_size = '1GB'
CONF
    pg_ctl -D "$new" -o "-c listen_addresses=''" --wait start
    psql -v ON_ERROR_STOP=1 postgres <<SQL
\\set password \`cat $password\`
create role claviger login password :'password';
create role replicator login replication password :'password';
create database claviger owner claviger;
SQL
    pg_ctl -D "$new" --wait stop
  fi
  mv "$new" "$PGDATA"
fi
exec postgres "$@"
