//! The consumer's side.

use crate::{Answer, number};
use perfetto_sdk::tracing_session::TracingSession;
use std::{
    fs::File,
    io::Write,
    sync::{Mutex, mpsc},
    time::Duration,
};

pub struct Session {
    session: TracingSession,
}

impl Session {
    /// Makes a session of the encoded configuration in a file.
    pub fn new(config: &str) -> Result<Self, String> {
        let config = std::fs::read(config).map_err(|e| format!("{config}: {e}"))?;
        let mut session = TracingSession::system().map_err(|e| e.to_string())?;
        session.setup(&config);
        Ok(Self { session })
    }

    pub fn answer(&mut self, command: &str, words: &[&str]) -> Answer {
        match (command, words) {
            ("start", []) => self.session.start_blocking(),
            ("stop", []) => self.session.stop_blocking(),
            ("flush", [milliseconds]) => return self.flush(number(milliseconds)?),
            ("read", [path]) => return self.read(path),
            _ => return Err(format!("no command {command} with {} words", words.len())),
        }
        Ok(vec![])
    }

    fn flush(&mut self, milliseconds: u64) -> Answer {
        let (done, all_done) = mpsc::channel();
        self.session
            .flush_async(Duration::from_millis(milliseconds), move |success| {
                done.send(success).unwrap()
            });
        match all_done.recv() {
            Ok(true) => Ok(vec![]),
            Ok(false) => Err("the flush failed".to_string()),
            Err(_) => Err("the flush was not answered".to_string()),
        }
    }

    fn read(&mut self, path: &str) -> Answer {
        let file = File::create(path).map_err(|e| format!("{path}: {e}"))?;
        let file = Mutex::new(file);
        self.session.read_trace_blocking(move |data, _| {
            file.lock()
                .unwrap()
                .write_all(data)
                .expect("writing the trace");
        });
        Ok(vec![])
    }
}
