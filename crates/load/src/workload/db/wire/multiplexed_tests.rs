//! The worker that serves many clients, and the one that serves one, against a server that answers as the tests want.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engine::adaptive_spin::AdaptiveSpin;
use engine::fault::Fault;
use engine::queue::{Operation, Queue, Wait};

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::metrics::{FIRST_STATEMENT, TRANSACTION};
use crate::workload::db::target_space::TargetSpace;
use crate::workload::db::transaction::{
    Execution, SqlStatement, Transaction, TransactionMix, TransactionStep,
};
use crate::workload::db::url::DatabaseUrl;
use crate::workload::db::wire::multiplexed::{MultiplexedLoad, MultiplexedWorker};
use crate::workload::db::wire::{
    Account, Codec, DatabaseConnection, DatabaseServer, RowTarget, StatementAnswer, StatementCodec, TextRow,
    WireStream, lost,
};

/// A protocol of letters: `q` asks, `r` rolls back, `a;` is an answer, `c;` says that there was a conflict.
struct Letters;

impl Codec for Letters {
    const NAME: &'static str = "Letters";
    const PORT: u16 = 1;

    fn socket(host: &str, _port: u16) -> PathBuf {
        PathBuf::from(host)
    }

    fn sign_in(_: &mut WireStream, _: &Account, _: u64) -> Result<Self, StatementFailure> {
        Ok(Self)
    }

    fn prepare(&mut self, _: &mut WireStream, _: &[SqlStatement]) -> Result<(), StatementFailure> {
        Ok(())
    }

    fn query(&mut self, _: &mut WireStream, _: &str) -> Result<Vec<TextRow>, StatementFailure> {
        Ok(Vec::new())
    }

    fn put_rows(
        &mut self,
        _: &mut WireStream,
        _: RowTarget<'_>,
        _: &mut dyn FnMut(&mut Vec<SqlValue>) -> bool,
    ) -> Result<(), StatementFailure> {
        Ok(())
    }
}

impl StatementCodec for Letters {
    fn execute(&mut self, _: usize, _: &SqlStatement, _: &[SqlValue], _: &[usize], out: &mut Vec<u8>) {
        out.push(b'q');
    }

    fn roll_back(&mut self, out: &mut Vec<u8>) {
        out.push(b'r');
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(usize, Option<StatementAnswer>), StatementFailure> {
        match bytes {
            [b'a', b';', ..] => Ok((2, Some(Ok(1)))),
            [b'c', b';', ..] => {
                let kind = FailureKind::Conflict;
                Ok((2, Some(Err(StatementFailure { kind, message: "met another".to_owned() }))))
            }
            [] | [b'a' | b'c'] => Ok((0, None)),
            _ => Err(lost("no letters")),
        }
    }
}

/// What the server sends to each request of a connection, by its number from 0; nothing more where there is none.
type Answers = fn(u64) -> Option<&'static [&'static [u8]]>;

/// The pieces of an answer that come at once, and of one that comes in two.
const WHOLE: &[&[u8]] = &[b"a;"];
const PIECES: &[&[u8]] = &[b"a", b";"];
const CONFLICT: &[&[u8]] = &[b"c;"];

/// Answers requests until the client goes or there is no answer, then hangs up.
fn answer(mut stream: UnixStream, answers: Answers) {
    let mut request = [0];
    let mut number = 0;
    while stream.read(&mut request).is_ok_and(|got| got == 1) {
        let Some(pieces) = answers(number) else { return };
        for (place, piece) in pieces.iter().enumerate() {
            if place > 0 {
                std::thread::sleep(Duration::from_millis(2));
            }
            // Who has gone does not hear it.
            let _ = stream.write_all(piece);
        }
        number += 1;
    }
}

/// A worker with so many clients of such a server, whose transactions have two statements.
fn worker(folder: &Path, clients: usize, answers: Answers) -> MultiplexedWorker<Letters> {
    let path = folder.join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(clients).flatten() {
            std::thread::spawn(move || answer(stream, answers));
        }
    });
    let host = path.to_str().unwrap().replace('/', "%2f");
    let url = DatabaseUrl::parse(&format!("mysql://x@{host}/")).unwrap();
    let server = DatabaseServer::find::<Letters>(&url, None, Duration::from_secs(10)).unwrap();
    let connections = (0..clients).map(|_| DatabaseConnection::<Letters>::open(&server).unwrap()).collect();
    let execution = Execution { statement: 0, table: None, class: FIRST_STATEMENT, parameters: Vec::new() };
    let steps = vec![TransactionStep::Execute(execution); 2];
    let mix = TransactionMix {
        statements: vec![SqlStatement::new("SELECT 1", false)],
        variables: 0,
        transactions: vec![Transaction { weight: 1, steps }],
    };
    let load = MultiplexedLoad {
        mix: Arc::new(mix),
        counts: Arc::default(),
        seed: 1,
        patience_ns: 60_000_000_000,
        spin: Some(AdaptiveSpin::default()),
        space: TargetSpace::default(),
    };
    MultiplexedWorker::new(connections, load).unwrap()
}

/// Executes so many transactions, as many at once as there are clients; how each ended.
fn execute(worker: &mut MultiplexedWorker<Letters>, transactions: u64) -> Result<Vec<u8>, Fault> {
    let mut free: Vec<usize> = (0..worker.depth()).collect();
    let (mut done, mut ended) = (Vec::with_capacity(worker.depth()), Vec::new());
    let mut index = 0;
    loop {
        while index < transactions
            && let Some(slot) = free.pop()
        {
            worker.start(slot, Operation { index, sequence: index })?;
            index += 1;
        }
        if index == transactions && free.len() == worker.depth() {
            return Ok(ended);
        }
        worker.reap(Wait::One, &mut done)?;
        for completion in done.drain(..) {
            free.push(completion.slot);
            ended.push(completion.class);
        }
    }
}

#[test]
fn answers_are_read_however_they_come() {
    for clients in [1, 3] {
        let place = tempfile::tempdir().unwrap();
        let mut worker =
            worker(place.path(), clients, |number| Some(if number % 3 == 1 { PIECES } else { WHOLE }));
        assert_eq!(execute(&mut worker, 12).unwrap(), [TRANSACTION; 12], "{clients}");
        let mut parts = Vec::new();
        worker.take_parts(&mut parts);
        assert_eq!(parts.len(), 24, "{clients}: two statements each");
        assert!(parts.iter().all(|part| part.slot < clients && part.finished_ns >= part.started_ns));
    }
}

#[test]
fn a_transaction_that_meets_another_is_begun_again() {
    for clients in [1, 3] {
        let place = tempfile::tempdir().unwrap();
        // The second statement of each client meets another; what rolls back comes third.
        let mut worker =
            worker(place.path(), clients, |number| Some(if number == 1 { CONFLICT } else { WHOLE }));
        assert_eq!(execute(&mut worker, 6).unwrap(), [TRANSACTION; 6], "{clients}");
        let mut parts = Vec::new();
        worker.take_parts(&mut parts);
        assert_eq!(parts.len(), 12 + clients, "{clients}: one statement of each was executed twice");
    }
}

#[test]
fn a_server_that_hangs_up_ends_the_load_at_once() {
    for clients in [1, 3] {
        let place = tempfile::tempdir().unwrap();
        let mut worker = worker(place.path(), clients, |number| (number < 5).then_some(PIECES));
        let fault = execute(&mut worker, 100).unwrap_err().to_string();
        assert!(fault.contains("ended the connection"), "{clients}: {fault}");
    }
}

#[test]
fn nobody_waits_where_that_is_not_asked_for() {
    let place = tempfile::tempdir().unwrap();
    // A server that answers nothing, and stays as long as the client does.
    let mut worker = worker(place.path(), 1, |_| Some(&[]));
    worker.start(0, Operation { index: 0, sequence: 0 }).unwrap();
    let mut done = Vec::with_capacity(1);
    for wait in [Wait::Poll, Wait::For(1_000_000), Wait::One] {
        worker.reap(wait, &mut done).unwrap();
        assert!(done.is_empty());
    }
}
