//! What is written of a profile, and what survives of a later version.

use super::*;

#[test]
fn a_class_of_a_later_version_survives() {
    let text = r#"{"class":"select","unit":"operations","share":1.0}"#;
    let flow: Flow = serde_json::from_str(text).unwrap();
    assert_eq!(flow.class, OperationClass::Other(ClassName::new("select")));
    assert_eq!(serde_json::to_string(&flow).unwrap(), text);
    let read: OperationClass = serde_json::from_str("\"read\"").unwrap();
    assert_eq!(read, OperationClass::Read);
}

#[test]
fn every_word_of_a_later_version_survives() {
    let text = r#"{"flows":[{"class":"render","unit":"frames","share":1.0,"order":"spiral"}],"phases":["print"],"concurrency":{"workers":1,"operations":1},"target_state":"frozen","caches":"device-mapper","waits_for":["gpu"],"peer":"orbit","transport":"quic","calibration":"render.null","one_cpu":true,"aspects":{"frames":"hue","threads":"workers"}}"#;
    let profile: LoadProfile = serde_json::from_str(text).unwrap();
    assert!(profile.may_wait_for(&WaitsFor::Other("gpu".to_owned())));
    assert_eq!(profile.parameter(Aspect::Workers), Some(ParameterName::new("threads")));
    assert_eq!(serde_json::to_string(&profile).unwrap(), text);
}

#[test]
fn every_class_is_written_as_its_metrics_are_called() {
    use OperationClass::*;
    for class in
        [Read, Write, Trim, Send, Receive, Exchange, Connect, Metadata, Access, Compute, Switch, Sleep, Call]
    {
        assert_eq!(serde_json::to_value(class).unwrap(), class.name());
    }
}

#[test]
fn what_is_as_usual_is_not_written() {
    let text = serde_json::to_string(&LoadProfile::default()).unwrap();
    assert_eq!(text, r#"{"concurrency":{"workers":1,"operations":1}}"#);
    assert_eq!(serde_json::from_str::<LoadProfile>("{}").unwrap(), LoadProfile::default());
}
