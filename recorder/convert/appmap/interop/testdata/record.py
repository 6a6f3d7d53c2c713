# Records program.py and prints, for each method, its calls, its total and own time in ns, and how often it threw.
import collections
import json
import sys

import appmap

recording = appmap.Recording()
with recording:
    import program

    program.main()
from _appmap import generation

text = generation.dump(recording)
with open(sys.argv[1], "w") as f:
    f.write(text)

sums = collections.defaultdict(lambda: [0, 0, 0, 0])
stacks = collections.defaultdict(list)
for e in json.loads(text)["events"]:
    stack = stacks[e["thread_id"]]
    if e["event"] == "call":
        stack.append([e["defined_class"] + "." + e["method_id"], 0])
        continue
    name, inner = stack.pop()
    # A caller is not shorter than what it calls.
    took = max(round(e["elapsed"] * 1e9), inner)
    s = sums[name]
    s[0] += 1
    s[1] += took
    s[2] += took - inner
    s[3] += "exceptions" in e
    if stack:
        stack[-1][1] += took
for name, s in sorted(sums.items()):
    print(name, *s)
