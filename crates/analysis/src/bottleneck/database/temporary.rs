//! Temporary files: sorts, hashes and tables of intermediate results that are larger than what a statement may have of memory
//! are written to the disk and read again (PostgreSQL: "Resource Consumption", work_mem; MariaDB: tmp_table_size). A server
//! counts them.

use model::Finding;
use model::database::metric as names;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Trial, metric};

use super::{is_one, log};
use crate::{Context, measure};

/// From so many for each transaction on they are told.
const FELT: f64 = 0.1;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
evidence-temporary-files =
    the server wrote { FIXED($each, decimals: 1) } temporary { $system ->
        [innodb] tables to the disk for each transaction: intermediate results that are larger than tmp_table_size, or that
            memory may not hold
       *[other] files for each transaction: sorts and hashes that are larger than work_mem
    }
"#;

/// That transactions have temporary files.
pub(in crate::bottleneck) fn told(
    _named: &Finding,
    case: &CaseResult,
    _context: &Context<'_>,
) -> Option<Evidence> {
    if !is_one(case) {
        return None;
    }
    let of = |trial: &Trial| {
        let all = measure::measured(trial, metric::TRANSACTIONS_PER_SECOND).filter(|all| *all > 0.0)?;
        Some(measure::measured(trial, names::SERVER_TEMPORARY_FILES_PER_SECOND)? / all)
    };
    let each = measure::median(case, of).filter(|each| *each >= FELT)?;
    let evidence = Evidence::at("temporary-files", Place::Metric(names::SERVER_TEMPORARY_FILES_PER_SECOND));
    Some(evidence.arg("each", each).arg("system", log::system(case).0))
}
