//! Track events. What is written follows from the numbers of the thread and of
//! the round alone, so that who reads the trace knows what must be in it.

use crate::{Answer, packets};
use perfetto_sdk::{
    protos::trace::track_event::{
        source_location::SourceLocationFieldNumber, track_event::TrackEventFieldNumber,
    },
    track_event::*,
    track_event_begin, track_event_categories, track_event_counter, track_event_end,
    track_event_instant,
};
use std::thread;

track_event_categories! {
    pub mod categories {
        ("work", "What the program does", ["tracex"]),
        ("quiet", "Recorded only if asked for by name", ["slow"]),
    }
}
use categories as perfetto_te_ns;

pub fn register() {
    TrackEvent::init();
    categories::register().expect("registering categories");
}

/// Writes `before` and `after` rounds of events on each of several threads of their
/// own. A thread with rounds afterwards first waits until the service has what the
/// memory kept of those before, so that it has room again.
pub fn write(threads: u64, before: u64, after: u64) -> Answer {
    let writers: Vec<_> = (0..threads)
        .map(|number| {
            thread::Builder::new()
                .name(format!("worker {number}"))
                .spawn(move || write_rounds(number, before, after))
                .expect("starting a thread")
        })
        .collect();
    for writer in writers {
        writer.join().map_err(|_| "a thread panicked")?;
    }
    Ok(vec![])
}

fn write_rounds(thread: u64, before: u64, after: u64) {
    let process = TrackEventTrack::process_track_uuid();
    let done = TrackEventTrack::register_counter_track_with_dynamic_name(
        &format!("done by {thread}"),
        process,
    )
    .expect("a counter");
    let queue = TrackEventTrack::register_named_track("queue", thread, process).expect("a track");
    for round in 0..before + after {
        if round == before {
            packets::flush();
        }
        write_round(thread, round, &done, &queue);
    }
}

/// One round: a slice with one in it, an instant, a counter and a slice on
/// another track. A flow leads from the outer slice to the instant.
fn write_round(thread: u64, round: u64, done: &TrackEventTrack, queue: &TrackEventTrack) {
    let flow = TrackEventFlow::global_flow(thread << 32 | round);
    track_event_begin!("work", "outer", |c: &mut EventContext| {
        c.add_debug_arg("thread", TrackEventDebugArg::Uint64(thread));
        c.add_debug_arg("round", TrackEventDebugArg::Int64(-(round as i64)));
        c.add_debug_arg(
            "text",
            TrackEventDebugArg::String(&format!("round {round}")),
        );
        c.add_debug_arg("even", TrackEventDebugArg::Bool(round % 2 == 0));
        c.add_debug_arg("half", TrackEventDebugArg::Double(round as f64 / 2.0));
        c.add_debug_arg("place", TrackEventDebugArg::Pointer(4096 + round as usize));
        c.set_flow(&flow);
    });
    track_event_instant!("work", "mark", |c: &mut EventContext| {
        c.set_terminating_flow(&flow);
        set_source_location(c, "src/events.rs", round);
    });
    track_event_counter!("work", |c: &mut EventContext| {
        c.set_track(done);
        c.set_counter(if thread % 2 == 0 {
            TrackEventCounter::Int64(round as i64)
        } else {
            TrackEventCounter::Double(round as f64 + 0.5)
        });
    });
    track_event_begin!("quiet", "unheard");
    track_event_begin!("work", "inner");
    track_event_begin!("work", "waiting", |c: &mut EventContext| {
        c.set_track(queue);
        c.set_no_intern();
    });
    track_event_end!("work");
    track_event_end!("work", |c: &mut EventContext| {
        c.set_track(queue);
    });
    track_event_end!("quiet");
    track_event_end!("work", |c: &mut EventContext| {
        c.add_debug_arg("left", TrackEventDebugArg::Uint64(round));
    });
}

fn set_source_location(c: &mut EventContext, file: &str, line: u64) {
    c.set_proto_fields(&TrackEventProtoFields {
        fields: &[TrackEventProtoField::Nested(
            TrackEventFieldNumber::SourceLocation as u32,
            &[
                TrackEventProtoField::Cstr(SourceLocationFieldNumber::FileName as u32, file),
                TrackEventProtoField::VarInt(SourceLocationFieldNumber::LineNumber as u32, line),
            ],
        )],
    });
}
