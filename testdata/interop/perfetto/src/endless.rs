//! Writing until somebody ends the process.

use crate::{Answer, packets};
use perfetto_sdk::{data_source::TraceContext, protos::trace::trace_packet::TracePacket};
use std::{fs::File, os::unix::fs::FileExt, thread};

/// Starts threads that write packets until each has written `most`, and returns
/// at once. What a thread has written is in the file `progress`, which outlives
/// the process: 8 bytes a thread, little-endian.
///
/// A packet of the kind `plain` is complete with its last byte. One of the kind
/// `nested` has a message in it, whose length, where the packet goes over the
/// end of a chunk, comes later.
pub fn start(kind: &str, threads: u64, most: u64, progress: &str) -> Answer {
    let nested = match kind {
        "plain" => false,
        "nested" => true,
        _ => return Err(format!("{kind} is neither plain nor nested")),
    };
    for number in 0..threads {
        let file = File::options()
            .write(true)
            .open(progress)
            .map_err(|e| format!("{progress}: {e}"))?;
        thread::spawn(move || {
            // The service knows the writer when it has answered this.
            write_one(number, 0, nested);
            packets::flush();
            for seq in 1..most {
                write_one(number, seq, nested);
                file.write_all_at(&(seq + 1).to_le_bytes(), number * 8)
                    .expect("writing the progress");
            }
        });
    }
    Ok(vec![])
}

/// The field for_testing of a packet, and of it counter, seq_value and str.
const FOR_TESTING: u32 = 900;
const COUNTER: u32 = 3;
const SEQ_VALUE: u32 = 2;
const STR: u32 = 1;

fn write_one(thread: u64, seq: u64, nested: bool) {
    // Long enough for many to go over the end of a chunk.
    let text = [b'0' + (seq % 10) as u8].repeat((seq % 97) as usize);
    packets::source().trace(|c: &mut TraceContext| {
        c.add_packet(|p: &mut TracePacket| {
            if nested {
                p.msg.append_nested(FOR_TESTING, |m| {
                    m.append_type0_field(COUNTER, thread);
                    m.append_type0_field(SEQ_VALUE, seq);
                    m.append_type2_field(STR, &text);
                });
                return;
            }
            let mut m = field(COUNTER, 0);
            m.extend(varint(thread));
            m.extend(field(SEQ_VALUE, 0));
            m.extend(varint(seq));
            m.extend(field(STR, 2));
            m.extend(varint(text.len() as u64));
            m.extend(&text);
            p.msg.append_type2_field(FOR_TESTING, &m);
        });
    });
}

fn field(number: u32, kind: u64) -> Vec<u8> {
    varint(u64::from(number) << 3 | kind)
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
