//! `db.oltp`: the transactions of sysbench's OLTP loads.

mod mix;
mod spec;

use engine::queue::Class;
use model::plan::{Effect, Problem};
use model::{Parameters, WorkloadSpec};

use crate::workload::common::LoadSchedule;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::dataset::sbtest::Sbtest;
use crate::workload::db::generator::RowDistribution;
use crate::workload::db::load::DatabaseLoad;
use crate::workload::db::oltp::mix::{OltpMix, OltpShape};
use crate::workload::db::oltp::spec::SPEC;
use crate::workload::db::parameters::ClientOptions;
use crate::workload::db::planned;
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::{Planned, Workload, named};

/// The workload.
#[derive(Debug)]
pub struct Oltp;

impl Workload for Oltp {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let integer = |name| parameters.integer(named(name));
        let word = parameters.text(named("mix"))?;
        let mix = OltpMix::called(word)
            .ok_or_else(|| Problem::invalid(format!("`{word}` is no mix of db.oltp"), ""))?;
        let data = Sbtest::new(integer("tables")?, integer("rows")?)?;
        let (range_size, distribution) = (integer("range-size")?, RowDistribution::of(parameters)?);
        let load = OltpLoad { mix, data, range_size, distribution };
        Ok(planned::plan(SPEC.name, Box::new(load), ClientOptions::of(parameters, schedule)?))
    }
}

#[derive(Debug)]
struct OltpLoad {
    mix: &'static OltpMix,
    data: Sbtest,
    range_size: u64,
    distribution: RowDistribution,
}

impl DatabaseLoad for OltpLoad {
    fn data(&self) -> DataSet {
        DataSet::Sbtest(self.data)
    }

    fn effect(&self) -> Effect {
        self.mix.effect
    }

    fn classes(&self) -> &'static [Class] {
        self.mix.classes()
    }

    fn mix(&self, system: DatabaseSystem) -> Result<TransactionMix, Problem> {
        let Self { data, range_size, distribution, .. } = *self;
        Ok(self.mix.transactions(&OltpShape { system, data, range_size, distribution }))
    }
}
