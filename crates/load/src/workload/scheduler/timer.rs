//! `scheduler.timer`: how late a thread runs that sleeps until a stated time.

use std::os::fd::OwnedFd;

use engine::fault::Fault;
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker, clock};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::{
    FactName, LoadProfile, MetricName, MetricSpec, Parameters, Value, WorkloadName, WorkloadSpec, metric,
};
use rustix::event::{PollFd, epoll, poll};
use rustix::io::Errno;
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use crate::workload::common::LoadSchedule;
use crate::workload::scheduler::staged::{Staged, Stages};
use crate::workload::{HostInfo, LoadContext, Planned, Requirements, Workload, common, named, profile};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("scheduler.timer"),
    definition_version: 1,
    summary: "how late a thread runs that sleeps until a stated time",
    doc: "Each thread sleeps until a time that lies `sleep` ahead, again and again, and looks how much later than \
          that it runs: the lateness. It holds the timer's own resolution, the slack that the kernel allows itself to \
          fire several timers at once, the way out of idle and the switch to the thread. Programs have a slack of \
          50 us unless they ask for less; it counts for nanosleep, poll and epoll, not for a timerfd, and the last two \
          take 0.1 % of a longer interval where that is more. In a virtual machine each sleep also costs exits.",
    parameters: &[
        ParameterSpec::new("by", Kind::Choice, "What a thread sleeps in.").says(Aspect::Operation).default("nanosleep").words(&[
            Word { word: "nanosleep", doc: "clock_nanosleep until a time of the monotonic clock" },
            Word { word: "timerfd", doc: "a read of a timerfd that is set to a time" },
            Word { word: "poll", doc: "ppoll of nothing, with a timeout in nanoseconds" },
            Word { word: "epoll", doc: "epoll_pwait2 of nothing, with a timeout in nanoseconds (Linux 5.11)" },
        ]),
        ParameterSpec::new("sleep", Kind::Duration, "How far ahead the time lies: at most 1s.").default("1ms"),
        ParameterSpec::new(
            "slack",
            Kind::Duration,
            "How much later the kernel may fire the timer by choice (PR_SET_TIMERSLACK). Programs have 50us unless \
             they ask for less.",
        )
        .default("50us")
        .words(&[Word { word: "least", doc: "1 ns, the least that there is" }]),
    ],
    headline: metric::LATENESS_P50,
    metrics: &[
        LATENESS_P50,
        LATENESS_P99,
        LATENESS_MAX,
        common::OPERATIONS,
        common::CPU_PER_OPERATION,
        common::ELAPSED,
        common::RATE_HELD,
        common::LATE_STARTS,
        common::UNFINISHED,
    ],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "scheduler.timer",
        "scheduler.timer --sleep 100us,1ms,10ms",
        "scheduler.timer --slack 50us,least --by nanosleep,timerfd",
    ],
};

const LATENESS_P50: MetricSpec =
    common::time(metric::LATENESS_P50, "Half of the sleepers ran at most this much too late.");
const LATENESS_P99: MetricSpec =
    common::time(metric::LATENESS_P99, "99 % of the sleepers ran at most this much too late.");
const LATENESS_MAX: MetricSpec =
    common::time(MetricName::new("lateness_max"), "The most that a sleeper ran too late in a trial.");

/// The longest sleep, s: nobody can stop a thread that sleeps.
const INTERVAL_MAX_S: f64 = 1.0;
/// The shortest; below it the calls themselves are longer.
const INTERVAL_MIN_S: f64 = 1e-6;

#[derive(Debug)]
pub(crate) struct Timer;

impl Workload for Timer {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let is_least = parameters.is_word(named("slack"), "least");
        Ok(Box::new(PlannedTimer {
            by: parameters.text(named("by"))?.to_owned(),
            sleep_s: parameters.number(named("sleep"))?,
            slack_s: if is_least { 1e-9 } else { parameters.number(named("slack"))? },
            // A count ends a trial whenever it is reached.
            ends_s: schedule.requests.map_or(schedule.duration_s, |_| f64::INFINITY),
        }))
    }
}

#[derive(Clone, Debug)]
struct PlannedTimer {
    by: String,
    sleep_s: f64,
    slack_s: f64,
    ends_s: f64,
}

impl Planned for PlannedTimer {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        if !(INTERVAL_MIN_S..=INTERVAL_MAX_S).contains(&self.sleep_s) {
            return Err(Problem::invalid(
                "sleep must lie between 1us and 1s",
                "a thread that sleeps longer is as late, and cannot be stopped meanwhile",
            ));
        }
        if !(1e-9..=INTERVAL_MAX_S).contains(&self.slack_s) {
            return Err(Problem::invalid(
                "slack must be at most 1s",
                "what programs have is 50us; `least` is 1 ns",
            ));
        }
        if self.sleep_s * 2.0 > self.ends_s {
            return Err(Problem::invalid(
                "the trial ends before a thread has slept twice",
                "give a longer duration or a shorter sleep",
            ));
        }
        let mut resolved = Parameters::default();
        resolved.set(named("slack"), self.slack_s);
        Ok(Requirements { resolved, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let sleeps = Flow::only(OperationClass::Sleep, FlowUnit::Operations);
        profile::of_one(base, WaitsFor::Timer, sleeps)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(self.clone()))
    }
}

impl Prepared for PlannedTimer {
    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([MetricName::new("sleep"), MetricName::new("lateness")])
    }

    /// The kernel tells 1 ns where it has high-resolution timers, and the length
    /// of a tick where not (`hrtimer_get_res` of `kernel/time/hrtimer.c`).
    fn facts(&self) -> Vec<(FactName, Value)> {
        let resolution = rustix::time::clock_getres(ClockId::Monotonic);
        let resolution_s = resolution.tv_sec as f64 + resolution.tv_nsec as f64 / 1e9;
        vec![(FactName::new("timer_resolution"), Value::Number(resolution_s))]
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        // The engine gave the worker the least slack; here it is what is asked.
        // It ends with the thread.
        rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(ns(self.slack_s).max(1)))
            .map_err(|e| Fault::system("setting the timer slack of a worker", e))?;
        let granted_ns = rustix::thread::current_timer_slack()
            .map_err(|e| Fault::system("asking for the timer slack of a worker", e))?;
        let bed = Bed::new(&self.by)?;
        let mut sleeping = Sleeping { bed, interval_ns: ns(self.sleep_s), granted_ns };
        // What this kernel does not have is told before time counts.
        sleeping.bed.sleep_until(clock::now_ns() + 1000)?;
        Ok(Box::new(Staged::new(sleeping)))
    }
}

fn ns(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[derive(Debug)]
enum Bed {
    Nanosleep,
    Timerfd(OwnedFd),
    Poll,
    Epoll(OwnedFd),
}

impl Bed {
    fn new(by: &str) -> Result<Self, Fault> {
        let failed = |e: Errno| Fault::system(format!("making a {by} to sleep in"), e);
        Ok(match by {
            "nanosleep" => Bed::Nanosleep,
            "timerfd" => Bed::Timerfd(
                timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).map_err(failed)?,
            ),
            "poll" => Bed::Poll,
            "epoll" => Bed::Epoll(epoll::create(epoll::CreateFlags::CLOEXEC).map_err(failed)?),
            other => return Err(Fault::Other(format!("no thread sleeps in `{other}`"))),
        })
    }

    /// Sleeps until `due_ns` has passed, however often it is woken before.
    fn sleep_until(&mut self, due_ns: u64) -> Result<(), Fault> {
        loop {
            let slept = match self {
                Bed::Nanosleep => {
                    rustix::thread::clock_nanosleep_absolute(ClockId::Monotonic, &clock::timespec(due_ns))
                }
                Bed::Timerfd(fd) => timerfd_settime(
                    &*fd,
                    TimerfdTimerFlags::ABSTIME,
                    &Itimerspec { it_interval: clock::timespec(0), it_value: clock::timespec(due_ns) },
                )
                .and_then(|_| rustix::io::read(&*fd, &mut [0; 8]).map(|_| ())),
                Bed::Poll => {
                    let left = clock::timespec(due_ns.saturating_sub(clock::now_ns()));
                    poll(&mut [] as &mut [PollFd<'_>], Some(&left)).map(|_| ())
                }
                Bed::Epoll(fd) => wait_for_nothing(fd, due_ns.saturating_sub(clock::now_ns())),
            };
            match slept {
                Ok(()) if clock::now_ns() >= due_ns => return Ok(()),
                Ok(()) | Err(Errno::INTR) => {}
                Err(Errno::NOSYS) => {
                    return Err(Fault::Other(
                        "this kernel has no epoll_pwait2, which came with Linux 5.11".to_owned(),
                    ));
                }
                Err(e) => return Err(Fault::system("sleeping", e)),
            }
        }
    }
}

/// `epoll_pwait2` on a set with nothing in it. (rustix rounds the timeout up to
/// milliseconds for kernels that do not have it.)
fn wait_for_nothing(fd: &OwnedFd, left_ns: u64) -> Result<(), Errno> {
    use std::os::fd::AsRawFd;
    let left = libc::timespec {
        tv_sec: (left_ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (left_ns % 1_000_000_000) as libc::c_long,
    };
    let mut events = [libc::epoll_event { events: 0, u64: 0 }];
    // SAFETY: the kernel writes at most one event, for which there is room, and
    // reads the timeout; both live until it returns. There is no signal mask.
    let result = unsafe {
        libc::syscall(
            libc::SYS_epoll_pwait2,
            fd.as_raw_fd(),
            events.as_mut_ptr(),
            1,
            &raw const left,
            std::ptr::null::<libc::sigset_t>(),
            0,
        )
    };
    if result >= 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL))
}

struct Sleeping {
    bed: Bed,
    interval_ns: u64,
    granted_ns: u64,
}

impl Stages for Sleeping {
    #[inline]
    fn operate(&mut self) -> Result<u64, Fault> {
        let due_ns = clock::now_ns() + self.interval_ns;
        self.bed.sleep_until(due_ns)?;
        Ok(due_ns)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        vec![(FactName::new("timer_slack"), Value::Number(self.granted_ns as f64 / 1e9))]
    }
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    #[test]
    fn nobody_wakes_before_the_time_has_come() {
        for by in ["nanosleep", "timerfd", "poll", "epoll"] {
            let mut sleeping = Sleeping { bed: Bed::new(by).unwrap(), interval_ns: 300_000, granted_ns: 1 };
            for _ in 0..20 {
                let before = clock::now_ns();
                let due = sleeping.operate().unwrap();
                assert!(due >= before + 300_000 && clock::now_ns() >= due, "{by}");
            }
        }
        assert!(Bed::new("hammock").is_err());
    }

    #[test]
    fn intervals_that_cannot_be_are_refused() {
        let survey = |interval: f64, slack: f64, duration: f64| {
            let mut parameters = Parameters::default();
            parameters.set(named("sleep"), interval);
            parameters.set(named("slack"), slack);
            parameters.set(named("duration"), duration);
            crate::workload::survey(&Timer, parameters, &HostInfo::default())
                .map_err(|problem| problem.message)
        };
        assert!(survey(1e-3, 5e-5, 0.05).is_ok());
        assert!(survey(0.04, 5e-5, 0.05).unwrap_err().contains("before a thread has slept twice"));
        assert!(survey(1.5, 5e-5, 10.0).unwrap_err().contains("sleep"));
        assert!(survey(1e-7, 5e-5, 10.0).unwrap_err().contains("sleep"));
        let mut least = Parameters::default();
        for (name, value) in [("sleep", 1e-3), ("duration", 1.0)] {
            least.set(ParameterName::intern(name).unwrap(), value);
        }
        least.set(named("slack"), "least");
        let resolved = crate::workload::survey(&Timer, least, &HostInfo::default()).unwrap().resolved;
        assert_eq!(resolved.number(named("slack")), Ok(1e-9));
        assert!(survey(1e-3, 2.0, 10.0).unwrap_err().contains("slack"));
    }
}
