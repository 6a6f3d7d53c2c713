"""Prints the slices and instants of a Perfetto trace as JSON, read with Perfetto's own description of its
messages. Where trace_processor is there, in the variable TRACE_PROCESSOR, it must find the same slices."""

import json
import os
import sys

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


def value(a):
    return getattr(a, a.WhichOneof("value"))


def read(path):
    trace = Trace()
    with open(path, "rb") as f:
        trace.ParseFromString(f.read())
    threads, events, categories, names, places = {}, {}, {}, {}, {}
    track, all_slices, stacks = 0, [], {}
    for p in trace.packet:
        assert p.trusted_packet_sequence_id != 0
        if p.HasField("track_descriptor") and p.track_descriptor.HasField("thread"):
            threads[p.track_descriptor.uuid] = p.track_descriptor.thread.thread_name
        if p.HasField("trace_packet_defaults"):
            track = p.trace_packet_defaults.track_event_defaults.track_uuid
        if p.HasField("interned_data"):
            d = p.interned_data
            events.update((e.iid, e.name) for e in d.event_names)
            categories.update((e.iid, e.name) for e in d.event_categories)
            names.update((e.iid, e.name) for e in d.debug_annotation_names)
            places.update((e.iid, (e.file_name, e.line_number)) for e in d.source_locations)
        if not p.HasField("track_event"):
            continue
        e = p.track_event
        stack = stacks.setdefault(track, [])
        args = {names[a.name_iid]: value(a) for a in e.debug_annotations}
        if e.type == TrackEvent.TYPE_SLICE_END:
            s = stack.pop()
            s["Duration"] = p.timestamp - s["Start"]
            s["Args"].update(args)
            continue
        file, line = places[e.source_location_iid] if e.source_location_iid else ("", 0)
        s = {
            "Thread": threads[track], "Name": events[e.name_iid], "Start": p.timestamp, "Duration": -1,
            "Category": ",".join(categories[c] for c in e.category_iids), "Depth": len(stack),
            "Instant": e.type == TrackEvent.TYPE_INSTANT, "File": file, "Line": line, "Args": args,
        }
        all_slices.append(s)
        if e.type == TrackEvent.TYPE_SLICE_BEGIN:
            stack.append(s)
    return all_slices


def asked(path, binary):
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    with TraceProcessor(trace=path, config=TraceProcessorConfig(bin_path=binary)) as tp:
        rows = tp.query("select name, ts - trace_start() as ts, dur, depth from slice order by id")
        return sorted((r.name, r.dur, r.depth) for r in rows)


slices = read(sys.argv[1])
if binary := os.environ.get("TRACE_PROCESSOR"):
    own = sorted((s["Name"], 0 if s["Instant"] else s["Duration"], s["Depth"]) for s in slices)
    if own != asked(sys.argv[1], binary):
        sys.exit("trace_processor finds other slices")
json.dump(slices, sys.stdout)
