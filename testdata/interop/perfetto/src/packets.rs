//! A data source of our own, with packets of all sizes.

use crate::Answer;
use perfetto_sdk::{
    data_source::*,
    protos::trace::{
        test_event::{TestEvent, TestEventTestPayload},
        trace_packet::TracePacket,
    },
};
use std::{
    sync::{Condvar, Mutex, OnceLock, mpsc},
    thread,
};

const NAME: &str = "tracex.interop";

static SOURCE: OnceLock<DataSource> = OnceLock::new();

/// How many instances were started and stopped.
static SEEN: Mutex<Seen> = Mutex::new(Seen {
    started: 0,
    stopped: 0,
});
static MORE: Condvar = Condvar::new();

struct Seen {
    started: u64,
    stopped: u64,
}

fn see(what: impl FnOnce(&mut Seen)) {
    what(&mut SEEN.lock().unwrap());
    MORE.notify_all();
}

pub fn register() {
    let args = DataSourceArgsBuilder::new()
        .buffer_exhausted_policy(DataSourceBufferExhaustedPolicy::StallAndAbort)
        .handles_incremental_state_clear(true)
        .will_notify_on_stop(true)
        .on_start(|_, _| see(|s| s.started += 1))
        .on_stop(|_, _| see(|s| s.stopped += 1));
    let mut source = DataSource::new();
    source
        .register(NAME, args.build())
        .expect("registering the data source");
    if SOURCE.set(source).is_err() {
        panic!("registered twice");
    }
}

pub fn source() -> &'static DataSource<'static> {
    SOURCE.get().expect("a consumer has no data source")
}

pub fn wait_until_started(count: u64) -> Answer {
    drop(MORE.wait_while(SEEN.lock().unwrap(), |s| s.started < count));
    Ok(vec![])
}

pub fn wait_until_stopped(count: u64) -> Answer {
    drop(MORE.wait_while(SEEN.lock().unwrap(), |s| s.stopped < count));
    Ok(vec![])
}

/// Writes `count` packets on each of several threads, and returns when the
/// service has them. Some packets have a text of `big` bytes.
pub fn write(threads: u64, count: u64, big: u64) -> Answer {
    let writers: Vec<_> = (0..threads)
        .map(|number| {
            thread::spawn(move || {
                for seq in 0..count {
                    write_one(number, seq, big);
                }
                flush();
            })
        })
        .collect();
    for writer in writers {
        writer.join().map_err(|_| "a thread panicked")?;
    }
    Ok(vec![])
}

/// Waits until the service has what this thread wrote, for each session.
pub fn flush() {
    let (done, all_done) = mpsc::channel();
    source().trace(|c: &mut TraceContext| {
        let done = done.clone();
        c.flush(move || done.send(()).unwrap());
    });
    drop(done);
    while all_done.recv().is_ok() {}
}

/// Every so manyth packet is big.
const BIG_EVERY: u64 = 50;

/// Writes one packet to every session. The numbers say what is in it.
fn write_one(thread: u64, seq: u64, big: u64) {
    let size = if seq % BIG_EVERY == BIG_EVERY - 1 {
        big
    } else {
        seq * 37 % 300
    };
    source().trace(|c: &mut TraceContext| {
        let mut cleared = false;
        c.with_incremental_state(|_, state| cleared = std::mem::take(&mut state.was_cleared));
        c.add_packet(|p: &mut TracePacket| {
            p.set_timestamp(seq);
            if cleared {
                p.set_sequence_flags(1);
            }
            p.set_for_testing(|e: &mut TestEvent| {
                e.set_counter(thread);
                e.set_seq_value(seq as u32);
                e.set_payload(|payload: &mut TestEventTestPayload| nest(payload, seq % 5));
                e.set_str(letters(thread + seq, size));
            });
        });
    });
}

/// Fills a message, and messages in it, so that lengths of open messages stand
/// in chunks that were given away.
fn nest(payload: &mut TestEventTestPayload, depth: u64) {
    payload.set_remaining_nesting_depth(depth as u32);
    payload.set_str(letters(depth, depth * 301));
    if depth > 0 {
        payload.set_nested(|inner: &mut TestEventTestPayload| nest(inner, depth - 1));
        payload.set_single_int(-(depth as i32));
    }
}

/// Letters of the alphabet in their order, beginning with one of them.
fn letters(first: u64, size: u64) -> String {
    (first..first + size)
        .map(|n| (b'a' + (n % 26) as u8) as char)
        .collect()
}
