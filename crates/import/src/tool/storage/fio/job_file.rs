//! A job file that was shown above the output of its run, by `cat` or in a report: what its sections say is what was
//! done. Whether fio would take it is not looked at.

use super::options::FioCommand;
use crate::tool::block::ToolLine;

/// The section whose options hold for the jobs below it. Files of others have sections, too, so only a file that
/// begins with it is looked at.
const GLOBAL: &str = "global";

/// Options of which one stands in every file: others have files with such a section, too.
const TELLING: &[&str] = &["rw", "readwrite", "ioengine", "iodepth", "numjobs"];

/// Whether a job file begins with this line.
pub(super) fn begins(text: &str) -> bool {
    section(text) == Some(GLOBAL)
}

/// Whether a line may stand in a job file.
pub(super) fn goes_on(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.starts_with(['#', ';']) || section(text).is_some() || option(text).is_some()
}

/// What a job file says; `None` if these lines are none.
pub(super) fn read(lines: &[ToolLine]) -> Option<FioCommand> {
    let mut file = FioCommand { is_all: true, ..FioCommand::default() };
    let mut is_any = false;
    for line in lines {
        if let Some(name) = section(&line.text) {
            if name != GLOBAL {
                file.jobs.push((name.to_owned(), file.common.clone()));
            } else if !file.jobs.is_empty() {
                // It holds for those below it alone.
                file.is_all = false;
            }
        } else if let Some((name, value)) = option(&line.text) {
            is_any |= TELLING.contains(&name);
            // What stands for something else is not known.
            file.is_all &= !value.contains('$') && name != "include";
            if !value.contains('$') {
                let options = file.jobs.last_mut().map_or(&mut file.common, |(_, options)| options);
                options.insert(name.to_owned(), value.to_owned());
            }
        }
    }
    (is_any && !file.jobs.is_empty()).then_some(file)
}

/// What stands in brackets.
fn section(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    (!name.is_empty() && !name.contains(['[', ']', '@', '"'])).then_some(name)
}

/// An option and its value, before a comment. One without a value is set.
fn option(text: &str) -> Option<(&str, &str)> {
    let text = text.split(['#', ';']).next()?.trim();
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let name = name.trim();
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_letter);
    is_name.then_some((name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[global]\nioengine=libaio\ndirect=1   # around the cache\ntime_based\nruntime=60\n\n\
                        [rr]\nrw=randread\nsize=4g\n; the other\n[ww]\nrw=write\n";

    #[test]
    fn sections_are_jobs_with_what_holds_for_all() {
        let file = read(&super::super::lines(FILE)).unwrap();
        let names: Vec<&str> = file.jobs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((names.as_slice(), file.is_all), (["rr", "ww"].as_slice(), true));
        let (_, rr) = &file.jobs[0];
        assert_eq!([&rr["direct"], &rr["time_based"], &rr["size"], &rr["rw"]], ["1", "1", "4g", "randread"]);
        assert!(!file.jobs[1].1.contains_key("size"));
        let more = read(&super::super::lines(&format!("{FILE}filename=${{DISK}}\n"))).unwrap();
        assert!(!more.is_all && !more.jobs[1].1.contains_key("filename"));
    }

    #[test]
    fn files_of_others_are_none() {
        let of_samba = "[global]\nworkgroup = x\n[homes]\nbrowseable = no\n";
        assert!(read(&super::super::lines(of_samba)).is_none());
        assert!(begins("[global]") && !begins("[mysqld]"));
        for text in
            ["rr: (g=0): rw=randread, bs=4k", "And then it was slow", "fio-3.33", "[root@host ~]# fio x"]
        {
            assert!(!goes_on(text) || text == "fio-3.33", "{text}");
        }
    }

    #[test]
    fn what_was_shown_above_a_run_is_what_it_did() {
        let output = "rr: (groupid=0, jobs=1): err= 0: pid=1: now\n  read: IOPS=5, BW=5MiB/s (5MB/s)(10MiB/2000msec)\n\n";
        for between in ["$ fio x.fio\n", "Then I ran it:\n\n", ""] {
            let text = format!("$ cat x.fio\n{FILE}\n{between}{output}");
            let read = crate::tool::read("", text.as_bytes()).unwrap();
            let [run] = read.results.as_slice() else { panic!("{between}: {:?}", read.results) };
            assert_eq!(
                (run.options["direct"].as_str(), run.options["size"].as_str()),
                ("1", "4g"),
                "{between}"
            );
        }
        let other = format!("$ cat x.fio\n{FILE}\n$ fio y.fio\n{}", output.replace("rr:", "zz:"));
        let read = crate::tool::read("", other.as_bytes()).unwrap();
        assert!(!read.results[0].options.contains_key("direct"), "it has another job");
        let named = format!("$ cat x.fio\n{FILE}\n$ fio --name=rr --rw=read\n{output}");
        let read = crate::tool::read("", named.as_bytes()).unwrap();
        assert!(!read.results[0].options.contains_key("direct"), "the command has all");
    }
}
