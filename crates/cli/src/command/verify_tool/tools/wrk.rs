//! wrk, against nginx.

use super::{
    OldestVersion, ServerPlace, ServerProgram, TargetKind, VerifiedTool, VerifyPlan, VerifyServer, split,
};

/// The tool.
pub(super) const WRK: VerifiedTool = VerifiedTool {
    program: "wrk",
    package: "wrk",
    doc: "a page of 1 KiB of an nginx that is started for it, over four connections, by one thread",
    oldest: Some(OldestVersion { option: "-v", numbers: (4, 0) }),
    target: TargetKind::Nothing,
    command: |plan| {
        let VerifyPlan { seconds, ports: [port, _], .. } = plan;
        split(&format!("wrk -t1 -c4 -d{seconds}s http://127.0.0.1:{port}/page"))
    },
    before: None,
    server: VerifyServer::Program(ServerProgram {
        program: "nginx",
        package: "nginx-light",
        command: |plan| {
            ["nginx", "-e", "error.log", "-p", &plan.folder, "-c", "nginx.conf"].map(str::to_owned).to_vec()
        },
        files: |plan| {
            vec![("nginx.conf", configuration(plan.ports[0])), ("content/page", "headroom".repeat(128))]
        },
        place: ServerPlace::Loopback,
    }),
    differs: None,
};

/// What stands in its configuration (nginx.org/en/docs): one process, so that none is left where it is killed; connections
/// that stay, for both sides; folders of its own for what it buffers, because as root it gives the usual ones to another
/// user; a timer, because it looks at what a signal asked for when its wait for events ends, and a signal that comes
/// just before that wait does not end it: of 150 that came as soon as its process id was written, it slept through 58.
fn configuration(port: u16) -> String {
    format!(
        "daemon off;
master_process off;
worker_processes 1;
timer_resolution 500ms;
pid nginx.pid;
error_log error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port};
        root content;
    }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::same_work;
    use super::*;

    #[test]
    fn what_it_prints_is_work_of_a_load() {
        let printed = "Running 2s test @ http://127.0.0.1:5201/page\n  1 threads and 4 connections\n  \
                       Thread Stats   Avg      Stdev     Max   +/- Stdev\n    \
                       Latency     1.13ms    1.55ms   8.90ms   84.35%\n    \
                       Req/Sec    31.86k     7.04k   42.92k    55.00%\n  \
                       63630 requests in 2.01s, 76.70MB read\nRequests/sec:  31614.14\nTransfer/sec:     38.11MB\n";
        assert_eq!(
            same_work(&WRK, printed).as_deref(),
            Some("http.requests connections=4 duration=2 threads=1 url=http://127.0.0.1:5201/page")
        );
    }

    #[test]
    fn nginx_is_told_no_folder_of_the_machine() {
        let text = configuration(8080);
        assert!(text.contains("        listen 127.0.0.1:8080;\n        root content;\n    }\n"), "{text}");
        assert!(!text.contains('/') && !text.contains('#'), "{text}");
    }
}
