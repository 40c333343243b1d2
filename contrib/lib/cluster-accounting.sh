# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# cluster-accounting.sh: MariaDB and slurmdbd for a private Slurm cluster.
# Source it from contrib/cluster, which sets the variables used here.

# The server alone, without the package that would run it as a service; its
# installer takes a program of the client's. slurmdbd's own service does not
# start without /etc/slurm/slurmdbd.conf, which no package brings.
accounting_packages() {
	echo mariadb-server-core mariadb-client-core
	[ -n "${LEAFSPINE_SLURM_PREFIX:-}" ] || echo slurmdbd
}

write_accounting_conf() {
	cat <<-END
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=$address
	AccountingStoragePort=$dbd_port
	AccountingStoragePass=$dir/munge/socket
	AccountingStorageTRES=gres/gpu
	AccountingStorageEnforce=limits,qos
	END
}

# slurmdbd takes no file that others can read, or that is not its user's.
write_slurmdbd_conf() {
	(umask 077 && cat >"$dir/etc/slurmdbd.conf") <<-END
	AuthType=auth/munge
	AuthInfo=socket=$dir/munge/socket
	DbdHost=$(hostname -s)
	DbdAddr=$address
	DbdPort=$dbd_port
	SlurmUser=$slurm_user
	PidFile=$dir/run/slurmdbd.pid
	LogFile=$dir/log/slurmdbd.log
	DebugLevel=info
	PluginDir=$(stock_plugin_dir)
	StorageType=accounting_storage/mysql
	StorageHost=localhost
	StorageUser=$slurm_user
	StorageLoc=slurm
	END
	chown "$slurm_user" "$dir/etc/slurmdbd.conf"
}

# The database is thrown away with the cluster: nothing waits for the disk.
mariadb_options() {
	printf '%s\n' --no-defaults --datadir="$dir/db" --user="$slurm_user" \
		--innodb-log-file-size=8M --innodb-flush-method=nosync \
		--innodb-doublewrite=0 --innodb-flush-log-at-trx-commit=0
}

mariadb_answers() {
	mariadb --no-defaults --socket="$dir/db/socket" \
		--user="$slurm_user" -e 'SELECT 1' >/dev/null 2>&1
}

# On a Unix socket alone, where its user is known by who opens it: no password,
# no port. It has no mode of its own to go into the background; a descriptor of
# the caller's that it kept (bats waits for 3) would hang the caller.
start_mariadb() {
	local options

	mapfile -t options < <(mariadb_options)
	mkdir -m 0700 "$dir/db"
	chown "$slurm_user" "$dir/db"
	mariadb-install-db "${options[@]}" --skip-test-db \
		--auth-root-authentication-method=socket \
		--auth-root-socket-user="$slurm_user" \
		>"$dir/log/mariadb-install.log" 2>&1 9<&- ||
		{ cat "$dir/log/mariadb-install.log" >&2; return 1; }
	setsid mariadbd "${options[@]}" --socket="$dir/db/socket" \
		--skip-networking --pid-file="$dir/run/mariadb.pid" \
		--innodb-buffer-pool-size=32M --innodb-lock-wait-timeout=900 \
		</dev/null >"$dir/log/mariadb.log" 2>&1 3>&- 9<&- &
	wait_for 30 'MariaDB' mariadb_answers ||
		{ cat "$dir/log/mariadb.log" >&2; return 1; }
}

slurmdbd_answers() { sacctmgr -n list cluster >/dev/null 2>&1; }

# slurmdbd looks for its file beside slurm.conf; that a socket lies elsewhere,
# only the environment can tell it.
start_slurmdbd() {
	write_slurmdbd_conf
	MYSQL_UNIX_PORT=$dir/db/socket slurmdbd \
		>"$dir/log/slurmdbd.start" 2>&1 3>&- 9<&- ||
		{ cat "$dir/log/slurmdbd.start" >&2; return 1; }
	wait_for 30 'slurmdbd' slurmdbd_answers ||
		{ tail -n 20 "$dir/log/slurmdbd.log" >&2; return 1; }
}

# The cluster, an account and a user must be known before slurmctld starts: it
# runs no job of a user without an association.
register_cluster() {
	{
		sacctmgr -i add cluster private &&
			sacctmgr -i add account main cluster=private &&
			sacctmgr -i add user "$(id -un)" account=main \
				defaultaccount=main
	} >"$dir/log/sacctmgr.log" 2>&1 ||
		{ cat "$dir/log/sacctmgr.log" >&2; return 1; }
}

start_accounting() {
	start_mariadb && start_slurmdbd && register_cluster
}
