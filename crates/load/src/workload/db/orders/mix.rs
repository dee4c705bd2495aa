//! The transactions of `db.orders`, as scripts: new order, payment, order status, delivery and stock level, after
//! TPC-C 5.11, section 2, in its shares.

use std::fmt::Write;

use crate::workload::db::dataset::orders::DISTRICTS;
use crate::workload::db::url::DatabaseSystem;

/// A kind of transaction, in the order of the classes of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrdersTransaction {
    NewOrder,
    Payment,
    OrderStatus,
    Delivery,
    StockLevel,
}

/// The lines that an order has, at least and at most.
const LINES: std::ops::RangeInclusive<u64> = 5..=15;

/// The weights, so that 45 of 100 transactions are orders, with as many of each length, 43 payments, and 4 of each
/// other kind.
const OF_EACH_LENGTH: u64 = 45;
const LENGTHS: u64 = 11;

/// Who it is about: a customer of any district.
const CUSTOMER: &str = "\\set w random(1, :warehouses)
\\set d random(1, 10)
\\set c random(1, :customers)
BEGIN;
";

/// The scripts, with their kinds and weights.
pub(super) fn scripts(system: DatabaseSystem) -> Vec<(OrdersTransaction, u64, String)> {
    let mut all: Vec<_> =
        LINES.map(|lines| (OrdersTransaction::NewOrder, OF_EACH_LENGTH, new_order(lines))).collect();
    all.extend([
        (OrdersTransaction::Payment, 43 * LENGTHS, format!("{CUSTOMER}{PAYMENT}")),
        (OrdersTransaction::OrderStatus, 4 * LENGTHS, format!("{CUSTOMER}{ORDER_STATUS}")),
        (OrdersTransaction::Delivery, 4 * LENGTHS, delivery(system)),
        (OrdersTransaction::StockLevel, 4 * LENGTHS, format!("{CUSTOMER}{STOCK_LEVEL}")),
    ]);
    all
}

/// An order of so many lines.
fn new_order(lines: u64) -> String {
    let mut script = format!(
        "{CUSTOMER}\
SELECT c_discount, c_last FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
SELECT w_tax FROM warehouse WHERE w_id = :w;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
SELECT d_next_o_id AS next_order FROM district WHERE d_w_id = :w AND d_id = :d \\gset
\\set o :next_order - 1
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt) \
VALUES (:w, :d, :o, :c, CURRENT_TIMESTAMP, 0, {lines});
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
"
    );
    for line in 1..=lines {
        // A text takes all that is written to it.
        let _ = write!(
            script,
            "\\set i random(1, :items)
\\set q random(1, 10)
SELECT i_price AS price FROM item WHERE i_id = :i \\gset
UPDATE stock SET s_quantity = s_quantity - :q + CASE WHEN s_quantity < :q + 10 THEN 91 ELSE 0 END, \
s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i;
SELECT s_dist AS dist FROM stock WHERE s_w_id = :w AND s_i_id = :i \\gset
\\set amount :price * :q
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_delivered, ol_quantity, ol_amount, \
ol_dist_info) VALUES (:w, :d, :o, {line}, :i, 0, :q, :amount, :dist);
"
        );
    }
    script + "COMMIT;"
}

/// A customer pays.
const PAYMENT: &str = "\\set amount random(100, 500000)
UPDATE warehouse SET w_ytd = w_ytd + :amount WHERE w_id = :w;
SELECT w_name FROM warehouse WHERE w_id = :w;
UPDATE district SET d_ytd = d_ytd + :amount WHERE d_w_id = :w AND d_id = :d;
SELECT d_name FROM district WHERE d_w_id = :w AND d_id = :d;
UPDATE customer SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount, \
                       c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
SELECT c_last, c_balance FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_date, h_amount, h_data) \
                       VALUES (:w, :d, :c, :w, :d, CURRENT_TIMESTAMP, :amount, 'payment');
COMMIT;";

/// A customer asks for the last order.
const ORDER_STATUS: &str =
    "SELECT c_balance, c_last FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
\\set o 0
SELECT max(o_id) AS o FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c \\gset
SELECT o_carrier_id, o_entry_d FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o;
SELECT ol_i_id, ol_quantity, ol_amount, ol_delivered FROM order_line \
                            WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o;
COMMIT;";

/// How many of the items of the last twenty orders are short.
const STOCK_LEVEL: &str = "SELECT d_next_o_id AS next_order FROM district WHERE d_w_id = :w AND d_id = :d \\gset
\\set first :next_order - 20
\\set threshold random(10, 20)
SELECT count(DISTINCT s_i_id) FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id \
                           WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id >= :first AND ol_o_id < :next_order \
                           AND s_quantity < :threshold;
COMMIT;";

/// The oldest order of each district of a warehouse is delivered. There may be none: it has the number 0 then, which
/// no order has. Two that deliver at once would take the same one, so that a server keeps it locked; SQLite has one
/// that writes at a time.
fn delivery(system: DatabaseSystem) -> String {
    let lock = if system == DatabaseSystem::Sqlite { "" } else { " FOR UPDATE" };
    let mut script = "\\set w random(1, :warehouses)\n\\set carrier random(1, 10)\nBEGIN;\n".to_owned();
    for district in 1..=DISTRICTS {
        // A text takes all that is written to it.
        let _ = write!(
            script,
            "\\set d {district}
\\set o 0
\\set c 0
SELECT no_o_id AS o FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1{lock} \\gset
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :o;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o;
SELECT o_c_id AS c FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o \\gset
UPDATE order_line SET ol_delivered = 1 WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o;
SELECT coalesce(sum(ol_amount), 0) AS amount FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o \\gset
UPDATE customer SET c_balance = c_balance + :amount, c_delivery_cnt = c_delivery_cnt + 1 \
WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
"
        );
    }
    script + "COMMIT;"
}
