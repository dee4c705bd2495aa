//! MariaDB with a binary log: after a crash, a transaction that is prepared is committed if that log has it, and rolled back
//! if not. So `sync_binlog` counts, though InnoDB flushes at each commit.

use std::path::Path;

use super::{MariaDb, assert_losses, has};

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_power_cut_takes_from_mariadb_what_its_binary_log_did_not_flush() {
    if !has(Path::new(MariaDb::PROGRAM)) {
        return;
    }
    let synced = |every| format!("--innodb-flush-log-at-trx-commit=1 --log-bin=binlog --sync-binlog={every}");
    assert_losses(&MariaDb, &[&synced(1)], &[&synced(0)]);
}
