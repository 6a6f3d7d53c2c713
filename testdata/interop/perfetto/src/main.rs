//! Writes and records traces with Perfetto's own client library, as the lines
//! of its standard input ask for; each is answered by one line of standard
//! output: `ok`, or `error` and why. Words of a line are parted by tabs.
//!
//! It is started as `tracex-perfetto producer [SHARED-MEMORY-KB]` or as
//! `tracex-perfetto consumer`, and ends with its standard input.

mod bench;
mod endless;
mod events;
mod packets;
mod session;

use perfetto_sdk::producer::{Backends, Producer, ProducerInitArgsBuilder};
use std::io::{BufRead, Write};

/// What the commands work on.
#[derive(Default)]
struct Driver {
    session: Option<session::Session>,
}

/// What a command answers: fields of the line, or what is wrong.
type Answer = Result<Vec<String>, String>;

impl Driver {
    fn answer(&mut self, line: &str) -> Answer {
        let words: Vec<&str> = line.split('\t').collect();
        match words[..] {
            ["events", threads, count] => events::write(number(threads)?, number(count)?, 0),
            ["events", threads, before, after] => {
                events::write(number(threads)?, number(before)?, number(after)?)
            }
            ["packets", threads, count, big] => {
                packets::write(number(threads)?, number(count)?, number(big)?)
            }
            ["started", count] => packets::wait_until_started(number(count)?),
            ["stopped", count] => packets::wait_until_stopped(number(count)?),
            ["endless", kind, threads, most, progress] => {
                endless::start(kind, number(threads)?, number(most)?, progress)
            }
            ["bench", kind, threads, count] => bench::run(kind, number(threads)?, number(count)?),
            ["trigger", name] => {
                Producer::activate_trigger(name, std::time::Duration::from_secs(60))
                    .map_err(|e| e.to_string())?;
                Ok(vec![])
            }
            ["setup", path] => {
                self.session = Some(session::Session::new(path)?);
                Ok(vec![])
            }
            ["free"] => {
                self.session = None;
                Ok(vec![])
            }
            [command, ref rest @ ..] => match &mut self.session {
                Some(session) => session.answer(command, rest),
                None => Err(format!("there is no session, or no command {command}")),
            },
            [] => Err("an empty line".to_string()),
        }
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{word} is no number"))
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let role = args.get(1).map(String::as_str).unwrap_or_default();
    let kb = args.get(2).map_or(Ok(0), |kb| number(kb));
    let init = ProducerInitArgsBuilder::new().backends(Backends::SYSTEM);
    match (role, kb) {
        ("producer", Ok(kb)) => {
            Producer::init(init.shmem_size_hint_kb(kb).build());
            events::register();
            packets::register();
            bench::register();
        }
        ("consumer", _) => Producer::init(init.build()),
        _ => panic!("usage: tracex-perfetto producer [SHARED-MEMORY-KB] | consumer"),
    }
    let mut driver = Driver::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("reading a command");
        let text = match driver.answer(&line) {
            Ok(fields) => [vec!["ok".to_string()], fields].concat().join("\t"),
            Err(why) => format!("error\t{why}"),
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}")
            .and_then(|()| out.flush())
            .expect("answering");
    }
}
