//! Content that compresses, or of which blocks are the same.

use model::finding::Evidence;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "compressible-content",
    doc: "What was written compresses, or has blocks that are the same: a device or a file system that makes use of that \
         stores less than the load says it moves.",
    english: r#"
finding-compressible-content =
    { $content ->
        [zeros] the content is zeros
        [compressible] { PERCENT($share) } of the content can be compressed away
        [duplicate] { PERCENT($share) } of the blocks are written more than once
       *[other] the content is `{ $content }`
    }: where something on the way compresses or finds duplicates, this is its speed with such content
    .advice = compare with content=random

evidence-content = content={ $content }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let profile = measure::profile(case);
    let content = profile.content.as_ref().filter(|content| !content.is_random && !profile.is_null)?;
    let (content, share) = (content.name.as_str(), content.share.unwrap_or(0.5));
    let evidence = Evidence::maybe_at("content", measure::said(case, Aspect::Content));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .arg("content", content)
            .arg("share", share)
            .because(evidence.arg("content", content)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn only_content_that_is_not_random_is_named() {
        let controls = Controls::default();
        let text = |content: Option<&str>, share: Option<f64>| {
            let mut case = fixture::disk_case("write", 100e6, 50e6);
            content.into_iter().for_each(|c| fixture::set(&mut case, "content", c));
            share.into_iter().for_each(|s| fixture::set(&mut case, "content-share", s));
            let found = fixture::found(&RULE, &case, &fixture::context(&controls));
            found.first().map(|f| f.text.clone())
        };
        assert_eq!(text(None, None), None);
        assert_eq!(text(Some("random"), None), None);
        assert!(text(Some("zeros"), None).unwrap().starts_with("the content is zeros:"));
        assert!(text(Some("duplicate"), None).unwrap().starts_with("30 % of the blocks"));
        assert!(text(Some("compressible"), Some(0.8)).unwrap().starts_with("80 % of the content"));
    }
}
