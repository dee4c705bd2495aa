//! The reference page of job files, made from the tables.

use super::option::OptionSupport;
use super::table::TABLES;

/// The page, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(
        "# Job files of fio\n\nMade from the code by `cargo xtask gen`. `headroom run JOB.fio` runs a job file as it is; \
         [the guide](../guide/fio.md) says how, and what differs. This page says what becomes of every option of fio \
         3.33 and of its engines for files, and of later ones that we know.\n\n\
         | treatment | what it means |\n|---|---|\n\
         | taken | it becomes this parameter or control |\n\
         | harmless | it does not change what is measured, for the reason given |\n\
         | missing | it has no like here; before the run and in its report it is said what that changes |\n\
         | refused | without it the job would be another one, so the file is not run |\n\n\
         An option that fio does not know is an error, with the nearest that it does. Sizes and times are read as fio \
         reads them: `k` is 1024 and `KiB` 1000 unless `kb_base=1000` (a note says so), a bare number is seconds for \
         `runtime` and microseconds for `latency_target`. Where fio would go on with a number that nobody meant \
         (`1.5g` is 1 byte, `10min` 10 microseconds), the file is refused. `include`, `${VARIABLE}`, `$pagesize`, \
         `$mb_memory`, `$ncpus` and sums in parentheses are understood.\n",
    );
    for table in TABLES {
        page.push_str(&format!(
            "\n## {}\n\n| option | treatment | what becomes of it |\n|---|---|---|\n",
            table.title
        ));
        for option in table.options {
            let names: Vec<String> =
                std::iter::once(&option.name).chain(option.aliases).map(|n| format!("`{n}`")).collect();
            let treatment = match option.treatment {
                OptionSupport::Taken => "taken",
                OptionSupport::Harmless => "harmless",
                OptionSupport::Unsupported => "missing",
                OptionSupport::Refused => "refused",
            };
            page.push_str(&format!(
                "| {} | {treatment} | {} |\n",
                names.join(", "),
                option.says.replace('|', "\\|")
            ));
        }
    }
    page
}
