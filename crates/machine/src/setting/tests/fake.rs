//! A setting that is only numbers.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use crate::setting::journal::SideEffect;
use crate::setting::{Setting, SettingError};

/// A setting of some resources, which takes at most 100 and refuses 666. Resource
/// `above` lies on `b`: it is cut with it, does not grow with it, and cannot be
/// larger.
pub(super) struct Fake {
    pub(super) spec: SettingSpec,
    pub(super) values: Mutex<BTreeMap<String, u64>>,
    /// Every value that was written, in order.
    pub(super) written: Mutex<Vec<(String, u64)>>,
    /// How long it takes to be read.
    pub(super) slow: Mutex<Duration>,
    /// Whether each network namespace has its own.
    pub(super) of_namespace: bool,
    /// How often `a` is to be asked until its link is back after a change.
    pub(super) flaps: Mutex<u32>,
    /// How often it has to be asked yet.
    pub(super) down: Mutex<u32>,
}

impl Fake {
    pub(super) fn new() -> &'static Self {
        Box::leak(Box::new(Self::fresh()))
    }

    /// One that something else is made of.
    pub(super) fn fresh() -> Self {
        let value = ParameterSpec::new("level", Kind::Count, "");
        let spec = SettingSpec {
            value,
            unit: Unit::One,
            binds: Some(Symbol::PeerInterface),
            holds: None,
            summary: "",
        };
        let values = [("a", 1), ("b", 2)].map(|(name, value)| (name.to_owned(), value));
        let values = Mutex::new(BTreeMap::from(values));
        Self {
            spec,
            values,
            written: Mutex::default(),
            slow: Mutex::default(),
            of_namespace: true,
            flaps: Mutex::default(),
            down: Mutex::default(),
        }
    }

    /// One with something above `b`, which is 90.
    pub(super) fn with_above() -> &'static Self {
        let fake = Self::new();
        fake.values.lock().unwrap().extend([("b".to_owned(), 90), ("above".to_owned(), 90)]);
        fake
    }

    pub(super) fn is(&self, resource: &str) -> u64 {
        self.values.lock().unwrap()[resource]
    }

    pub(super) fn table(&'static self) -> &'static [&'static dyn Setting] {
        Box::leak(Box::new([self as &'static dyn Setting]))
    }
}

impl Setting for Fake {
    fn spec(&self) -> &'static SettingSpec {
        Box::leak(Box::new(self.spec))
    }

    fn is_of_namespace(&self) -> bool {
        self.of_namespace
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let slow = *self.slow.lock().unwrap();
        std::thread::sleep(slow);
        match self.values.lock().unwrap().get(resource.as_str()) {
            Some(value) => Ok(Value::Integer(*value)),
            None => Err(SettingError::Gone { setting: "level".into(), resource: resource.into() }),
        }
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let Value::Integer(value) = value else { panic!("{value}") };
        let is_too_large = resource.as_str() == "above" && *value > self.is("b");
        if *value == 666 || is_too_large {
            return Err(SettingError::Refused {
                setting: "level".into(),
                resource: resource.into(),
                asked: value.to_string(),
                reason: "it is too much".into(),
            });
        }
        let mut values = self.values.lock().unwrap();
        values.insert(resource.to_string(), (*value).min(100));
        if let ("b", Some(above)) = (resource.as_str(), values.get_mut("above")) {
            *above = (*above).min(*value);
        }
        self.written.lock().unwrap().push((resource.to_string(), *value));
        if resource.as_str() == "a" {
            *self.down.lock().unwrap() = *self.flaps.lock().unwrap();
        }
        Ok(())
    }

    fn is_ready(&self, resource: &Resource) -> bool {
        let mut down = self.down.lock().unwrap();
        let is_ready = resource.as_str() != "a" || *down == 0;
        if !is_ready {
            *down -= 1;
        }
        is_ready
    }

    fn side_effects(&self, resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let above = self.values.lock().unwrap().get("above").copied().filter(|_| resource.as_str() == "b");
        let effect = |before| SideEffect {
            setting: "level".into(),
            resource: "above".into(),
            before: Value::Integer(before),
        };
        Ok(above.map(effect).into_iter().collect())
    }
}
