//! `db.orders`: a mix of transactions after TPC-C's. It is not TPC-C: nobody waits at terminals, customers are found
//! by their numbers, every order is for its own warehouse, and it is as large as is asked for.

mod mix;
mod spec;

use engine::queue::Class;
use model::plan::{Effect, Problem};
use model::{Parameters, WorkloadSpec};

use crate::workload::common::LoadSchedule;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::dataset::orders::OrdersSize;
use crate::workload::db::load::{ConsistencyCheck, DatabaseLoad};
use crate::workload::db::metrics;
use crate::workload::db::orders::mix::scripts;
use crate::workload::db::orders::spec::SPEC;
use crate::workload::db::parameters::ClientOptions;
use crate::workload::db::planned;
use crate::workload::db::script::{BY_VERB, ScriptCompiler, class_by_verb, unread};
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::{Planned, Workload, named};

/// The most warehouses, customers of a district and items: all products of theirs are far below 2^63.
const WAREHOUSES_MOST: u64 = 100_000;
const CUSTOMERS_MOST: u64 = 100_000;
const ITEMS_MOST: u64 = 10_000_000;

/// The workload.
#[derive(Debug)]
pub struct Orders;

impl Workload for Orders {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let bounded = |name: &'static str, most: u64| {
            let number = parameters.integer(named(name))?;
            if number > most {
                return Err(Problem::invalid(
                    format!("{number} {name} are more than db.orders has room for"),
                    format!("at most {most}"),
                ));
            }
            Ok(number)
        };
        let size = OrdersSize {
            warehouses: bounded("warehouses", WAREHOUSES_MOST)?,
            customers: bounded("customers", CUSTOMERS_MOST)?,
            items: bounded("items", ITEMS_MOST)?,
        };
        let load = OrdersLoad { size };
        Ok(planned::plan(SPEC.name, Box::new(load), ClientOptions::of(parameters, schedule)?))
    }
}

/// The classes of statements, then those of whole transactions.
const CLASSES: &[Class] = &[
    BY_VERB[0],
    BY_VERB[1],
    BY_VERB[2],
    BY_VERB[3],
    BY_VERB[4],
    BY_VERB[5],
    BY_VERB[6],
    BY_VERB[7],
    metrics::statement("new_order"),
    metrics::statement("payment"),
    metrics::statement("order_status"),
    metrics::statement("delivery"),
    metrics::statement("stock_level"),
];

#[derive(Debug)]
struct OrdersLoad {
    size: OrdersSize,
}

impl DatabaseLoad for OrdersLoad {
    fn data(&self) -> DataSet {
        DataSet::Orders(self.size)
    }

    fn effect(&self) -> Effect {
        Effect::Dirty
    }

    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn statements(&self) -> usize {
        BY_VERB.len()
    }

    fn mix(&self, system: DatabaseSystem) -> Result<TransactionMix, Problem> {
        let OrdersSize { warehouses, customers, items } = self.size;
        let mut made = ScriptCompiler::new(system, class_by_verb)
            .constant("warehouses", warehouses)
            .constant("customers", customers)
            .constant("items", items);
        let first = u8::try_from(BY_VERB.len()).unwrap_or(u8::MAX);
        for (kind, weight, text) in scripts(system) {
            let added = made.add(&text, 1, weight, Some(first + kind as u8));
            added.map_err(|error| unread("a script of db.orders", &error))?;
        }
        Ok(made.finish())
    }

    /// TPC-C's consistency conditions 1, 2, 3, 4, 5, 8 and 12 (section 3.3.2), of this schema.
    fn checks(&self) -> Vec<ConsistencyCheck> {
        let check = |about, sql: &str| ConsistencyCheck { about, sql: sql.to_owned() };
        vec![
            check(
                "what warehouses took in is what their districts took in",
                "SELECT count(*) FROM warehouse WHERE w_ytd <> (SELECT sum(d_ytd) FROM district WHERE d_w_id = w_id)",
            ),
            check(
                "the next order of a district has the number behind the last",
                "SELECT count(*) FROM district WHERE d_next_o_id - 1 <> \
                 (SELECT max(o_id) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id)",
            ),
            check(
                "no number is left out among the orders that are not delivered",
                "SELECT count(*) FROM (SELECT max(no_o_id) - min(no_o_id) + 1 - count(*) AS gap FROM new_order \
                 GROUP BY no_w_id, no_d_id) AS gaps WHERE gap <> 0",
            ),
            check(
                "every order has its lines",
                "SELECT count(*) FROM orders WHERE o_ol_cnt <> (SELECT count(*) FROM order_line \
                 WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)",
            ),
            check(
                "the orders without a carrier are those that are not delivered",
                "SELECT (SELECT count(*) FROM orders WHERE o_carrier_id = 0) - (SELECT count(*) FROM new_order)",
            ),
            check(
                "what warehouses took in is what customers paid",
                "SELECT count(*) FROM warehouse JOIN (SELECT h_w_id, sum(h_amount) AS paid FROM history \
                 GROUP BY h_w_id) AS payments ON h_w_id = w_id WHERE w_ytd <> paid",
            ),
            check(
                "what customers owe is what was delivered to them, less what they paid",
                "SELECT (SELECT sum(c_balance) + sum(c_ytd_payment) FROM customer) - \
                 (SELECT coalesce(sum(ol_amount), 0) FROM order_line WHERE ol_delivered = 1)",
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::transaction::TransactionStep;

    #[test]
    fn transactions_come_in_tpc_cs_shares() {
        let load = OrdersLoad { size: OrdersSize { warehouses: 2, customers: 30, items: 100 } };
        for system in [DatabaseSystem::Sqlite, DatabaseSystem::MySql, DatabaseSystem::Postgres] {
            let made = load.mix(system).unwrap();
            let mut shares = [0; 5];
            let all: u64 = made.transactions.iter().map(|one| one.weight).sum();
            for transaction in &made.transactions {
                let Some(TransactionStep::Record(class)) = transaction.steps.last() else {
                    panic!("{transaction:?}");
                };
                shares[usize::from(*class) - BY_VERB.len()] += transaction.weight;
            }
            assert_eq!(shares.map(|weight| weight * 100 / all), [45, 43, 4, 4, 4]);
            let locks = made.statements.iter().filter(|one| one.text().contains("FOR UPDATE")).count();
            assert_eq!(locks, usize::from(system != DatabaseSystem::Sqlite));
        }
        assert_eq!(load.classes().len(), usize::from(u8::try_from(BY_VERB.len()).unwrap()) + 5);
    }
}
