//! How long the library takes for a pair of events, a begin and an end.

use crate::{Answer, events::categories as perfetto_te_ns};
use perfetto_sdk::{
    track_event::{EventContext, TrackEventDebugArg},
    track_event_begin, track_event_end,
};
use perfetto_sdk_sys::*;
use std::{
    ptr,
    sync::{Arc, Barrier, OnceLock},
    thread,
    time::Instant,
};

/// Writes `count` pairs on each of several threads. Answers how long each
/// thread took, on average, and all of them together, in nanoseconds.
///
/// Kinds `plain` and `args` use the macros of the crate, which take a lock of
/// the process and allocate for each argument; `c-plain` and `c-args` call the C
/// library below them with everything on the stack, as its own macros do.
pub fn run(kind: &str, threads: u64, count: u64) -> Answer {
    let pairs: fn(u64) = match kind {
        "plain" => plain,
        "args" => args,
        "c-plain" => |count| c_pairs(count, false),
        "c-args" => |count| c_pairs(count, true),
        _ => return Err(format!("no benchmark {kind}")),
    };
    let ready = Arc::new(Barrier::new(threads as usize + 1));
    let writers: Vec<_> = (0..threads)
        .map(|_| {
            let ready = ready.clone();
            thread::spawn(move || {
                pairs(1); // interns names, takes the first chunk
                ready.wait();
                let begin = Instant::now();
                pairs(count);
                begin.elapsed().as_nanos()
            })
        })
        .collect();
    ready.wait();
    let begin = Instant::now();
    let mut sum = 0;
    for writer in writers {
        sum += writer.join().map_err(|_| "a thread panicked")?;
    }
    let all = begin.elapsed().as_nanos();
    Ok(vec![
        format!("thread-ns={}", sum / u128::from(threads)),
        format!("all-ns={all}"),
    ])
}

fn plain(count: u64) {
    for _ in 0..count {
        track_event_begin!("work", "pair");
        track_event_end!("work");
    }
}

fn args(count: u64) {
    for n in 0..count {
        track_event_begin!("work", "pair", |c: &mut EventContext| {
            c.add_debug_arg("number", TrackEventDebugArg::Int64(n as i64));
            c.add_debug_arg("text", TrackEventDebugArg::String("some text"));
        });
        track_event_end!("work");
    }
}

/// A category of the C library, without the lock of the crate.
struct Category(*mut PerfettoTeCategoryImpl);

// SAFETY: the library locks what changes in it.
unsafe impl Send for Category {}
// SAFETY: as above.
unsafe impl Sync for Category {}

static RAW: OnceLock<Category> = OnceLock::new();

pub fn register() {
    let description = PerfettoTeCategoryDescriptor {
        name: c"raw".as_ptr(),
        desc: c"For benchmarks".as_ptr(),
        tags: ptr::null_mut(),
        num_tags: 0,
    };
    // SAFETY: the description and its texts stay for good.
    let category = unsafe { PerfettoTeCategoryImplCreate(Box::leak(Box::new(description))) };
    RAW.get_or_init(|| Category(category));
    // SAFETY: has no preconditions.
    unsafe { PerfettoTePublishCategories() };
}

fn c_pairs(count: u64, args: bool) {
    let category = RAW.get().expect("registered at the start").0;
    let (begin, end) = (
        PerfettoTeType_PERFETTO_TE_TYPE_SLICE_BEGIN,
        PerfettoTeType_PERFETTO_TE_TYPE_SLICE_END,
    );
    for n in 0..count {
        // SAFETY: all pointers are to constants and to values that outlive the
        // call; the lists end with null.
        unsafe {
            if args {
                c_begin_with_args(category, n);
            } else {
                emit(category, begin, c"pair".as_ptr(), &[ptr::null_mut()]);
            }
            emit(category, end, ptr::null(), &[ptr::null_mut()]);
        }
    }
}

unsafe fn c_begin_with_args(category: *mut PerfettoTeCategoryImpl, n: u64) {
    let mut number = PerfettoTeHlExtraDebugArgInt64 {
        header: PerfettoTeHlExtra {
            type_: PerfettoTeHlExtraType_PERFETTO_TE_HL_EXTRA_TYPE_DEBUG_ARG_INT64,
        },
        name: c"number".as_ptr(),
        value: n as i64,
    };
    let mut text = PerfettoTeHlExtraDebugArgString {
        header: PerfettoTeHlExtra {
            type_: PerfettoTeHlExtraType_PERFETTO_TE_HL_EXTRA_TYPE_DEBUG_ARG_STRING,
        },
        name: c"text".as_ptr(),
        value: c"some text".as_ptr(),
    };
    let extras = [
        &raw mut number.header,
        &raw mut text.header,
        ptr::null_mut(),
    ];
    // SAFETY: as the caller says; the arguments live until the end.
    unsafe {
        emit(
            category,
            PerfettoTeType_PERFETTO_TE_TYPE_SLICE_BEGIN,
            c"pair".as_ptr(),
            &extras,
        )
    }
}

unsafe fn emit(
    category: *mut PerfettoTeCategoryImpl,
    kind: PerfettoTeType,
    name: *const std::ffi::c_char,
    extras: &[*mut PerfettoTeHlExtra],
) {
    // SAFETY: as the caller says.
    unsafe { PerfettoTeHlEmitImpl(category, kind as i32, name, extras.as_ptr()) }
}
