//! The tables of `db.orders`: a wholesaler with warehouses, districts, customers and their orders, after TPC-C 5.11,
//! section 1.3. Amounts of money are whole cents, and addresses and telephone numbers are left out.

use serde::{Deserialize, Serialize};

use crate::workload::db::dataset::{TableLayout, computed, constant, counted};
use crate::workload::db::expression::{ArithmeticOperator, ScriptDistribution, ValueExpression};
use crate::workload::db::generator::ValueGenerator;
use crate::workload::db::url::DatabaseSystem;

/// Districts of each warehouse, and lines of each order that is there at the beginning.
pub(in crate::workload) const DISTRICTS: u64 = 10;
const LINES: u64 = 10;
/// What each customer has paid at the beginning, cents.
const PAID: u64 = 1000;

/// The rows are the same ones in every run.
const SEED: u64 = 0x6f72_6465_7273_0000;

/// Bytes of rows in a file of SQLite, from above: of a customer with its payment, its order and the ten lines of that,
/// of a row of stock, and of an item.
const CUSTOMER_BYTES: u64 = 420 + 70 + 70 + 10 + LINES * 75;
const STOCK_BYTES: u64 = 120;
const ITEM_BYTES: u64 = 100;

/// How large they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct OrdersSize {
    pub(in crate::workload) warehouses: u64,
    /// Of each district.
    pub(in crate::workload) customers: u64,
    /// That every warehouse has.
    pub(in crate::workload) items: u64,
}

impl OrdersSize {
    /// About how many bytes all of it takes.
    pub(in crate::workload) fn bytes(&self) -> u64 {
        let customers = self.rows(self.customers.saturating_mul(CUSTOMER_BYTES));
        let stock = self.warehouses.saturating_mul(self.items).saturating_mul(STOCK_BYTES);
        customers.saturating_add(stock).saturating_add(self.items.saturating_mul(ITEM_BYTES))
    }

    /// Rows of a table with so many of each district.
    fn rows(&self, of_district: u64) -> u64 {
        self.warehouses.saturating_mul(DISTRICTS).saturating_mul(of_district)
    }

    /// Orders of each district that are not delivered at the beginning: three of ten, and at least one.
    fn undelivered(&self) -> u64 {
        (self.customers.saturating_mul(3) / 10).max(1)
    }

    /// The tables.
    pub(in crate::workload) fn layouts(&self, system: DatabaseSystem) -> Vec<TableLayout> {
        let table = |name: &str, create: &str, columns, rows| {
            // Rows lie in the order of their keys, as InnoDB has them.
            let has_key = create.contains("PRIMARY KEY");
            let end = if system == DatabaseSystem::Sqlite && has_key { " WITHOUT ROWID" } else { "" };
            TableLayout {
                name: name.to_owned(),
                create: vec![format!("CREATE TABLE {name} ({create}){end}")],
                columns,
                rows,
                indexes: Vec::new(),
                seed: name
                    .bytes()
                    .fold(SEED, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte))),
            }
        };
        let mut orders = table("orders", ORDERS, self.orders(), self.rows(self.customers));
        orders
            .indexes
            .push("CREATE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)".to_owned());
        vec![
            table("warehouse", WAREHOUSE, self.warehouse(), self.warehouses),
            table("district", DISTRICT, self.district(), self.rows(1)),
            table("customer", CUSTOMER, self.customer(), self.rows(self.customers)),
            table("history", HISTORY, self.history(), self.rows(self.customers)),
            table("new_order", NEW_ORDER, self.new_order(), self.rows(self.undelivered())),
            orders,
            table(
                "order_line",
                ORDER_LINE,
                self.order_line(),
                self.rows(self.customers.saturating_mul(LINES)),
            ),
            table("item", ITEM, item(), self.items),
            table("stock", STOCK, self.stock(), self.warehouses.saturating_mul(self.items)),
        ]
    }

    fn warehouse(&self) -> Columns {
        let paid = DISTRICTS.saturating_mul(self.customers).saturating_mul(PAID);
        vec![
            computed("w_id", counted(1, None)),
            ("w_name", ValueGenerator::Text("@@@@@@@@".into())),
            computed("w_tax", between(0, 2000)),
            computed("w_ytd", number(paid)),
        ]
    }

    fn district(&self) -> Columns {
        vec![
            computed("d_w_id", counted(DISTRICTS, None)),
            computed("d_id", counted(1, Some(DISTRICTS))),
            ("d_name", ValueGenerator::Text("@@@@@@@@".into())),
            computed("d_tax", between(0, 2000)),
            computed("d_ytd", number(self.customers.saturating_mul(PAID))),
            computed("d_next_o_id", number(self.customers.saturating_add(1))),
        ]
    }

    fn customer(&self) -> Columns {
        let [warehouse, district, customer] = places(self.customers, 1);
        vec![
            computed("c_w_id", warehouse),
            computed("c_d_id", district),
            computed("c_id", customer),
            ("c_last", ValueGenerator::Text("@@@@@@@@@@@@".into())),
            computed("c_discount", between(0, 5000)),
            computed(
                "c_balance",
                ValueExpression::join(ArithmeticOperator::Subtract, number(0), number(PAID)),
            ),
            computed("c_ytd_payment", number(PAID)),
            constant("c_payment_cnt", 1),
            constant("c_delivery_cnt", 0),
            ("c_data", ValueGenerator::Alphanumeric(300)),
        ]
    }

    fn history(&self) -> Columns {
        let [warehouse, district, customer] = places(self.customers, 1);
        vec![
            computed("h_c_w_id", warehouse.clone()),
            computed("h_c_d_id", district.clone()),
            computed("h_c_id", customer),
            computed("h_w_id", warehouse),
            computed("h_d_id", district),
            computed("h_amount", number(PAID)),
            ("h_data", ValueGenerator::Text("@@@@@@@@@@@@@@@@".into())),
        ]
    }

    fn new_order(&self) -> Columns {
        let [warehouse, district, order] = places(self.undelivered(), 1);
        let delivered = number(self.customers.saturating_sub(self.undelivered()));
        vec![
            computed("no_w_id", warehouse),
            computed("no_d_id", district),
            computed("no_o_id", ValueExpression::join(ArithmeticOperator::Add, delivered, order)),
        ]
    }

    /// Each customer has one order.
    fn orders(&self) -> Columns {
        let [warehouse, district, order] = places(self.customers, 1);
        let carrier =
            ValueExpression::join(ArithmeticOperator::Multiply, self.is_delivered(&order), between(1, 10));
        vec![
            computed("o_w_id", warehouse),
            computed("o_d_id", district),
            computed("o_id", order.clone()),
            computed("o_c_id", order),
            computed("o_carrier_id", carrier),
            computed("o_ol_cnt", number(LINES)),
        ]
    }

    /// What was delivered cost nothing.
    fn order_line(&self) -> Columns {
        let [warehouse, district, order] = places(self.customers, LINES);
        let delivered = self.is_delivered(&order);
        let open = ValueExpression::join(ArithmeticOperator::Subtract, number(1), delivered.clone());
        vec![
            computed("ol_w_id", warehouse),
            computed("ol_d_id", district),
            computed("ol_o_id", order),
            computed("ol_number", counted(1, Some(LINES))),
            computed("ol_i_id", between(1, self.items)),
            computed("ol_delivered", delivered),
            constant("ol_quantity", 5),
            computed(
                "ol_amount",
                ValueExpression::join(ArithmeticOperator::Multiply, open, between(1, 999_999)),
            ),
            ("ol_dist_info", ValueGenerator::Text(DISTRICT_INFO.into())),
        ]
    }

    fn stock(&self) -> Columns {
        vec![
            computed("s_w_id", counted(self.items, None)),
            computed("s_i_id", counted(1, Some(self.items))),
            computed("s_quantity", between(10, 100)),
            constant("s_ytd", 0),
            constant("s_order_cnt", 0),
            ("s_dist", ValueGenerator::Text(DISTRICT_INFO.into())),
            ("s_data", ValueGenerator::Alphanumeric(38)),
        ]
    }

    /// 1 for the orders that are delivered at the beginning, 0 for the others.
    fn is_delivered(&self, order: &ValueExpression) -> ValueExpression {
        let join = ValueExpression::join;
        let behind = number(self.customers.saturating_sub(self.undelivered()).saturating_add(1));
        let left = join(ArithmeticOperator::Subtract, behind, order.clone());
        let positive = join(ArithmeticOperator::Greatest, left, number(0));
        join(ArithmeticOperator::Least, positive, number(1))
    }
}

type Columns = Vec<(&'static str, ValueGenerator)>;

const DISTRICT_INFO: &str = "@@@@@@@@@@@@@@@@@@@@@@@@";

const WAREHOUSE: &str =
    "w_id INTEGER NOT NULL, w_name VARCHAR(10), w_tax INTEGER, w_ytd BIGINT, PRIMARY KEY (w_id)";
const DISTRICT: &str = "d_w_id INTEGER NOT NULL, d_id INTEGER NOT NULL, d_name VARCHAR(10), d_tax INTEGER, d_ytd BIGINT, \
                        d_next_o_id INTEGER, PRIMARY KEY (d_w_id, d_id)";
const CUSTOMER: &str = "c_w_id INTEGER NOT NULL, c_d_id INTEGER NOT NULL, c_id INTEGER NOT NULL, c_last VARCHAR(16), \
                        c_discount INTEGER, c_balance BIGINT, c_ytd_payment BIGINT, c_payment_cnt INTEGER, \
                        c_delivery_cnt INTEGER, c_data VARCHAR(500), PRIMARY KEY (c_w_id, c_d_id, c_id)";
const HISTORY: &str = "h_c_w_id INTEGER, h_c_d_id INTEGER, h_c_id INTEGER, h_w_id INTEGER, h_d_id INTEGER, \
                       h_date TIMESTAMP NULL, h_amount INTEGER, h_data VARCHAR(24)";
const NEW_ORDER: &str = "no_w_id INTEGER NOT NULL, no_d_id INTEGER NOT NULL, no_o_id INTEGER NOT NULL, \
                         PRIMARY KEY (no_w_id, no_d_id, no_o_id)";
const ORDERS: &str = "o_w_id INTEGER NOT NULL, o_d_id INTEGER NOT NULL, o_id INTEGER NOT NULL, o_c_id INTEGER, \
                      o_entry_d TIMESTAMP NULL, o_carrier_id INTEGER, o_ol_cnt INTEGER, PRIMARY KEY (o_w_id, o_d_id, o_id)";
const ORDER_LINE: &str = "ol_w_id INTEGER NOT NULL, ol_d_id INTEGER NOT NULL, ol_o_id INTEGER NOT NULL, \
                          ol_number INTEGER NOT NULL, ol_i_id INTEGER, ol_delivered INTEGER, ol_quantity INTEGER, \
                          ol_amount BIGINT, ol_dist_info CHAR(24), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)";
const ITEM: &str =
    "i_id INTEGER NOT NULL, i_name VARCHAR(24), i_price INTEGER, i_data VARCHAR(50), PRIMARY KEY (i_id)";
const STOCK: &str = "s_w_id INTEGER NOT NULL, s_i_id INTEGER NOT NULL, s_quantity INTEGER, s_ytd BIGINT, \
                     s_order_cnt INTEGER, s_dist CHAR(24), s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id)";

fn item() -> Columns {
    vec![
        computed("i_id", counted(1, None)),
        ("i_name", ValueGenerator::Text("@@@@@@@@@@@@@@@@@@".into())),
        computed("i_price", between(100, 10_000)),
        ("i_data", ValueGenerator::Alphanumeric(38)),
    ]
}

fn number(number: u64) -> ValueExpression {
    ValueExpression::Constant(i64::try_from(number).unwrap_or(i64::MAX))
}

/// A number from `least` to `most`, each alike.
fn between(least: u64, most: u64) -> ValueExpression {
    ValueExpression::Draw(ScriptDistribution::Uniform, Box::new([number(least), number(most)]))
}

/// The warehouse, the district and the number there of what each district has so many of, with `parts` rows for each.
fn places(of_district: u64, parts: u64) -> [ValueExpression; 3] {
    let of_warehouse = of_district.saturating_mul(parts).saturating_mul(DISTRICTS);
    [
        counted(of_warehouse, None),
        counted(of_district.saturating_mul(parts), Some(DISTRICTS)),
        counted(parts, Some(of_district)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::generator::SqlValue;

    #[test]
    fn rows_have_their_places() {
        let size = OrdersSize { warehouses: 2, customers: 30, items: 100 };
        let layouts = size.layouts(DatabaseSystem::Sqlite);
        let rows: Vec<_> = layouts.iter().map(|table| (table.name.as_str(), table.rows)).collect();
        assert_eq!(
            rows,
            [
                ("warehouse", 2),
                ("district", 20),
                ("customer", 600),
                ("history", 600),
                ("new_order", 180),
                ("orders", 600),
                ("order_line", 6000),
                ("item", 100),
                ("stock", 200),
            ]
        );
        let row = |table: usize, row: u64, columns: usize| {
            let mut values = layouts[table].values();
            layouts[table].make(row, &mut values);
            let number = |value: &SqlValue| match value {
                SqlValue::Integer(number) => *number,
                SqlValue::Text(text) => panic!("{text}"),
            };
            values[1..=columns].iter().map(number).collect::<Vec<_>>()
        };
        assert_eq!(row(1, 13, 2), [2, 4]);
        assert_eq!(row(2, 331, 3), [2, 2, 2]);
        // The orders 22 to 30 are not delivered.
        assert_eq!(row(4, 0, 3), [1, 1, 22]);
        assert_eq!(row(4, 179, 3), [2, 10, 30]);
        assert_eq!(row(5, 29, 6), [1, 1, 30, 30, 0, 10]);
        assert!((1..=10).contains(&row(5, 20, 6)[4]), "the order 21 has a carrier");
        assert_eq!(row(6, 209, 4), [1, 1, 21, 10]);
        assert_eq!((row(6, 209, 6)[5], row(6, 209, 8)[7]), (1, 0));
        assert_eq!(row(6, 210, 6)[5], 0);
        assert!(row(6, 210, 8)[7] > 0);
        assert_eq!(row(8, 199, 2), [2, 100]);
    }
}
