//! What a tool did, as a workload of ours does it, too: by that it is compared with native runs and other tools.

use model::tool_result::ToolResult;
use model::{ParameterName, Value, WorkloadName};

/// Makes a result one of a workload of ours, with the parameters that are known.
pub(super) fn same_work(
    result: &mut ToolResult,
    workload: WorkloadName,
    parameters: impl IntoIterator<Item = (&'static str, Value)>,
) {
    result.workload = Some(workload);
    result.parameters =
        parameters.into_iter().map(|(name, value)| (ParameterName::new(name), value)).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_has_the_parameters_that_are_known() {
        let mut result = ToolResult::default();
        same_work(&mut result, WorkloadName::new("disk"), [("threads", 4_u64.into())]);
        assert_eq!(result.workload, Some(WorkloadName::new("disk")));
        assert_eq!(result.parameters.integer(ParameterName::new("threads")).ok(), Some(4));
    }
}
