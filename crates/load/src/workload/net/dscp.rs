//! The class that packets of a load bear: the code point of Differentiated Services (RFC 2474), by which networks and
//! queueing disciplines treat some packets before others.

use std::os::fd::AsFd;

use engine::fault::Fault;
use model::Parameters;
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::value::ParameterError;
use rustix::net::{AddressFamily, sockopt};

use crate::workload::common::NumberOrWord;
use crate::workload::named;

/// The largest code point: it has six bits.
const MOST: u64 = 63;

/// The code point stands above the two bits of ECN (RFC 3168).
const ECN_BITS: u32 = 2;

pub(in crate::workload) const DSCP: ParameterSpec = ParameterSpec::new(
    "dscp",
    Kind::Count,
    "The code point of Differentiated Services that packets bear, at both ends (IP_TOS, IPV6_TCLASS): a number up to 63, \
     or a class. It is read back from each socket. Without it packets have what the machine gives them, mostly 0.",
)
.or_zero()
.remote_max(MOST)
.words(&[
    Word { word: "le", doc: "lower effort than all others: 1 (RFC 8622)" },
    Word { word: "cs0", doc: "class selector 0, best effort: 0 (RFC 2474)" },
    Word { word: "cs1", doc: "class selector 1: 8" },
    Word { word: "cs2", doc: "class selector 2: 16" },
    Word { word: "cs3", doc: "class selector 3: 24" },
    Word { word: "cs4", doc: "class selector 4: 32" },
    Word { word: "cs5", doc: "class selector 5: 40" },
    Word { word: "cs6", doc: "class selector 6: 48" },
    Word { word: "cs7", doc: "class selector 7: 56" },
    Word { word: "af11", doc: "assured forwarding, class 1, dropped late: 10 (RFC 2597)" },
    Word { word: "af12", doc: "the same, dropped earlier: 12" },
    Word { word: "af13", doc: "the same, dropped first: 14" },
    Word { word: "af21", doc: "class 2: 18" },
    Word { word: "af22", doc: "class 2: 20" },
    Word { word: "af23", doc: "class 2: 22" },
    Word { word: "af31", doc: "class 3: 26" },
    Word { word: "af32", doc: "class 3: 28" },
    Word { word: "af33", doc: "class 3: 30" },
    Word { word: "af41", doc: "class 4: 34" },
    Word { word: "af42", doc: "class 4: 36" },
    Word { word: "af43", doc: "class 4: 38" },
    Word { word: "va", doc: "voice that was admitted: 44 (RFC 5865)" },
    Word { word: "ef", doc: "expedited forwarding: 46 (RFC 3246)" },
]);

/// The code point of a class.
fn of_class(word: &str) -> Option<u64> {
    match word {
        "le" => return Some(1),
        "va" => return Some(44),
        "ef" => return Some(46),
        _ => {}
    }
    let number = |digits: &str| digits.parse::<u64>().ok();
    if let Some(class) = word.strip_prefix("cs") {
        return Some(number(class)? * 8);
    }
    // Two digits: the class and how early its packets are dropped.
    let both = number(word.strip_prefix("af")?)?;
    Some(both / 10 * 8 + both % 10 * 2)
}

/// The code point that `parameters` ask for; what is none is told by [`check`].
pub(super) fn asked(parameters: &Parameters) -> Result<Option<u64>, ParameterError> {
    if parameters.get(DSCP.name).is_none() {
        return Ok(None);
    }
    Ok(Some(match NumberOrWord::of(parameters, named("dscp"))? {
        NumberOrWord::Number(number) => number,
        NumberOrWord::Word(word) => of_class(&word).unwrap_or(u64::MAX),
    }))
}

/// Refuses what is no code point.
pub(super) fn check(asked: Option<u64>) -> Result<(), Problem> {
    match asked {
        Some(number) if number > MOST => Err(Problem::invalid(
            "dscp is no code point of Differentiated Services",
            "a number from 0 to 63, or a class such as ef, af41 or cs5",
        )),
        _ => Ok(()),
    }
}

/// The byte of IP that has a code point, as it is asked for: IP_TOS, IPV6_TCLASS.
pub(super) fn traffic_class(code_point: u64) -> u64 {
    code_point << ECN_BITS
}

/// Gives the packets of a socket a code point, and reads it back.
pub(super) fn apply(socket: &impl AsFd, asked: u64) -> Result<(), Fault> {
    let byte = u8::try_from(traffic_class(asked))
        .map_err(|_| Fault::Other(format!("{asked} is no code point of Differentiated Services")))?;
    let failed = |e| Fault::system(format!("giving packets the code point {asked} (dscp)"), e);
    if sockopt::socket_domain(socket).map_err(failed)? == AddressFamily::INET6 {
        sockopt::set_ipv6_tclass(socket, u32::from(byte)).map_err(failed)?;
        // For addresses of IPv4 that are mapped; a socket of IPv6 alone may refuse it.
        let _ = sockopt::set_ip_tos(socket, byte);
    } else {
        sockopt::set_ip_tos(socket, byte).map_err(failed)?;
    }
    match granted(socket) {
        Some(granted) if granted == asked => Ok(()),
        Some(granted) => Err(Fault::Other(format!(
            "packets were to have the code point {asked} (dscp), and the kernel gives them {granted}"
        ))),
        None => Err(Fault::Other(format!("the code point {asked} (dscp) of a socket cannot be read back"))),
    }
}

/// The code point that packets of a socket have; none where the kernel does not say.
pub(super) fn granted(socket: &impl AsFd) -> Option<u64> {
    let byte = match sockopt::socket_domain(socket).ok()? {
        AddressFamily::INET6 => sockopt::ipv6_tclass(socket).ok()?,
        _ => u32::from(sockopt::ip_tos(socket).ok()?),
    };
    Some(u64::from(byte >> ECN_BITS))
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn each_class_has_the_code_point_that_its_description_says() {
        for Word { word, doc } in DSCP.words {
            let number = of_class(word).unwrap();
            let said = doc.rsplit(": ").next().unwrap().split(' ').next().unwrap();
            assert_eq!(said, number.to_string(), "{word}");
        }
        assert_eq!(of_class("voice"), None);
    }

    #[test]
    fn numbers_and_classes_are_read_and_what_is_none_is_refused() {
        let read = |value: model::Value| {
            let mut parameters = Parameters::default();
            parameters.set(named("dscp"), value);
            asked(&parameters).unwrap()
        };
        assert_eq!(asked(&Parameters::default()), Ok(None));
        assert_eq!(
            (read(63u64.into()), read("ef".into()), read("af41".into())),
            (Some(63), Some(46), Some(34))
        );
        check(Some(63)).unwrap();
        check(None).unwrap();
        assert!(check(read(64u64.into())).unwrap_err().help.contains("0 to 63"));
        assert!(check(read("voice".into())).is_err());
    }

    #[test]
    fn the_kernel_has_what_was_asked_over_both_protocols() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(socket) = UdpSocket::bind(address) else {
                // A machine may have no IPv6.
                assert!(address.starts_with('['));
                continue;
            };
            assert_eq!(granted(&socket), Some(0), "{address}");
            for code_point in [46, 8, 0] {
                apply(&socket, code_point).unwrap();
                assert_eq!(granted(&socket), Some(code_point), "{address}");
            }
        }
    }
}
