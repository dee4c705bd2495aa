//! HammerDB: the line with the result of a run of its TPC-C-like load. Both of its figures are of a minute.

use model::database::metric::NEW_ORDERS_PER_SECOND;
use model::metric;
use model::tool_result::{PrintedValue, ToolResult};

use super::each_minute;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::whole;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct HammerDb;

const NAME: &str = "hammerdb";

/// What stands before the figures.
const BEFORE: &str = "System achieved ";

impl ToolReader for HammerDb {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the result of HammerDB's TPROC-C: new orders, and transactions as the database counts them"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["hammerdbcli"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[BEFORE]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        figures(line).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        if lines.len() > 1 { Extent::EndsBefore } else { Extent::EndsHere }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let found = block.lines.iter().find_map(figures).ok_or(NotUnderstood::OtherText)?;
        let mut result = block.result(NAME, self.programs());
        result.options.insert("database".to_owned(), found.database);
        result.whole.add(NEW_ORDERS_PER_SECOND, Some(found.orders));
        result.whole.add(metric::TRANSACTIONS_PER_SECOND, Some(found.transactions));
        Ok(vec![result])
    }
}

/// What the line says.
struct Figures {
    orders: PrintedValue,
    transactions: PrintedValue,
    database: String,
}

/// `Vuser 1:TEST RESULT : System achieved 42332 NOPM from 97427 PostgreSQL TPM`.
fn figures(line: &ToolLine) -> Option<Figures> {
    let (_, rest) = line.text.split_once(BEFORE)?;
    let (orders, rest) = whole(rest)?;
    let (transactions, rest) = whole(rest.strip_prefix(" NOPM from ")?)?;
    let database = rest.trim().strip_suffix(" TPM")?.trim();
    Some(Figures {
        orders: each_minute(line.number, &format!("{orders} NOPM"), orders as f64, 0.5),
        transactions: each_minute(line.number, &format!("{transactions} TPM"), transactions as f64, 0.5),
        database: database.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_minute_become_those_of_a_second() {
        let text = "Vuser 1:TEST RESULT : System achieved 600 NOPM from 1500 SQL Server TPM\n\
                    The system achieved 5 goals\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let value = |name| output.results[0].whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(NEW_ORDERS_PER_SECOND), Some(10.0));
        assert_eq!(value(metric::TRANSACTIONS_PER_SECOND), Some(25.0));
        assert_eq!(output.results[0].options["database"], "SQL Server");
        assert_eq!(output.results.len(), 1);
    }
}
