#!/usr/bin/env bash
# MariaDB, which speaks MySQL's protocol. MYSQL_PORT (23306). A service script like those of
# SQLSTREAM_SERVICES_DIR, whose functions it uses.
SVC=mysql; . "${SQLSTREAM_SERVICES_DIR:-$(dirname "$(readlink -f "$0")")/../../../shared/services}/_lib.sh"
PORT=${MYSQL_PORT:-23306}
USER_OF=$(id -un)
svc_install() { have mariadbd || need_apt mariadb-server; }
client() { mariadb --no-defaults --socket="$RUN/sock" -u root "$@"; }
up() { client -e 'SELECT 1'; }
svc_start() {
  need_free "$PORT" MYSQL_PORT; : >"$LOG"
  if [ ! -d "$RUN/data/mysql" ]; then
    mariadb-install-db --no-defaults --user="$USER_OF" --datadir="$RUN/data" --auth-root-authentication-method=normal --skip-test-db >>"$LOG" 2>&1 || die 'no database could be made'
  fi
  spawn mariadbd --no-defaults --user="$USER_OF" --datadir="$RUN/data" --socket="$RUN/sock" --pid-file="$RUN/mysqld.pid" \
    --bind-address=127.0.0.1 --port="$PORT" --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=2 --skip-name-resolve
  wait_ready up
  client -e "CREATE DATABASE IF NOT EXISTS stream; CREATE USER IF NOT EXISTS stream@'127.0.0.1' IDENTIFIED BY 'stream'; GRANT ALL ON stream.* TO stream@'127.0.0.1'" || die 'no user could be made'
}
svc_env() { printf 'MYSQL_ADDR=127.0.0.1:%s\n' "$PORT"; }
service_main "$@"
