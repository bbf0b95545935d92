# SPDX-License-Identifier: BSD-2-Clause
"""native_frames.py take PID FILE: write the native frames of the JVM's threads, as gdb unwinds them, with the names that
nm has for the code, to FILE.
native_frames.py compare FILE PRINTED KIND...: compare them with the native stacks of the waits that `frtrace print --json`
has printed; print for each kind of thread the number of equal stacks, and those that differ. A thread NAME is of the kind
before its hyphen. Waits of the same thread that ended before gdb came are no part of it: some wait must be equal, and
no wait may have a frame that differs before the stack is cut."""
import functools
import json
import os
import re
import subprocess
import sys

GDB = """
import gdb
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frame, pcs = gdb.newest_frame(), []
    while frame and len(pcs) < 64:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME): # these are not on the stack
            pcs.append(frame.pc())
        try:
            frame = frame.older()
        except gdb.error:
            break
    print("thread", thread.ptid[1], *pcs)
"""


def mappings(pid):
    found = []
    for line in open(f"/proc/{pid}/maps"):
        fields = line.split(None, 5)
        if len(fields) == 6 and "x" in fields[1] and fields[5].startswith("/"):
            start, end = (int(x, 16) for x in fields[0].split("-"))
            found.append((start, end, int(fields[2], 16), fields[5].strip()))
    return found


def run(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


class Library:
    def __init__(self, path):
        code = re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x\w+ 0x\w+ R E", run("readelf", "-lW", path))
        self.offset, self.address = (int(x, 16) for x in code[0])
        identity = re.findall(r"Build ID: (\w+)", run("readelf", "-n", path))
        self.symbols = []
        files = [path] + [f"/usr/lib/debug/.build-id/{i[:2]}/{i[2:]}.debug" for i in identity]
        for file in files:
            for options in ([], ["-D"]):
                self.read(run("nm", *options, "-S", "--defined-only", "--without-symbol-versions", file))

    def read(self, text):
        for line in text.splitlines():
            fields = line.split(None, 3)
            if len(fields) == 4 and fields[2] in "tTwWiu":
                self.symbols.append((int(fields[0], 16), int(fields[1], 16), fields[3].split("@")[0]))

    @functools.cache
    def names(self, address):
        """Of the innermost symbol."""
        around = [s for s in self.symbols if s[0] <= address < s[0] + s[1]]
        start = max((s[0] for s in around), default=0)
        names = [s[2] for s in around if s[0] == start]
        plain = run("c++filt", "-p", *names).split("\n") if names else []
        return sorted(set(names + plain) - {""})


def take(pid, file):
    with open(file + ".gdb.py", "w") as f:
        f.write(GDB)
    text = subprocess.run(["gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off", "-ex", "handle SIGSEGV nostop noprint pass", "-p", pid, "-x", file + ".gdb.py"],
                          capture_output=True, text=True, timeout=300).stdout
    where, libraries, threads = mappings(pid), {}, {}
    for line in re.findall(r"^thread (.*)", text, re.M):
        thread, *pcs = (int(x) for x in line.split())
        name, frames = open(f"/proc/{pid}/task/{thread}/comm").read().strip(), []
        if not re.fullmatch(r"[a-z]+-[0-9]+", name):
            continue
        for i, pc in enumerate(pcs):
            at = [m for m in where if m[0] <= pc < m[1]]
            if not at:
                break
            start, _, offset, path = at[0]
            if path not in libraries:
                libraries[path] = Library(path)
            library = libraries[path]
            address = pc - start + offset - library.offset + library.address
            frames.append({"library": os.path.basename(path), "place": f"+0x{address:x}", "names": library.names(address - (i > 0))})
        threads[name] = frames
    with open(file, "w") as f:
        json.dump(threads, f)


def is_same(ours, theirs):
    names = theirs["names"] or [theirs["place"]]
    return ours[0] == theirs["library"] and ours[1] in names


def compare(file, printed, kinds):
    truth = json.load(open(file))
    waits = {}
    for event in json.load(open(printed))["recording"]["events"]:
        values = event["values"]
        if event["type"] == "frtrace.ThreadWait" and values.get("nativeStack"):
            frames = [(f["method"]["type"]["name"], f["method"]["name"]) for f in values["nativeStack"]["frames"]]
            waits.setdefault(values["eventThread"]["javaName"], []).append((frames, values["nativeStack"]["truncated"]))
    for kind in kinds:
        equal, wrong, lacking = 0, [], []
        for name in (n for n in truth if n.rsplit("-", 1)[0] == kind):
            theirs, ours = truth[name], waits.get(name, [])
            whole = [f for f, cut in ours if not cut and len(f) == len(theirs) and all(map(is_same, f, theirs))]
            equal += bool(whole)
            if not whole:
                lacking.append((name, ours, theirs))
            # another wait of the same call, before gdb came or after it was let go, has another stack
            wrong += [(name, f, theirs) for f, cut in ours if cut and f and f[0][1] in theirs[0]["names"] and not all(map(is_same, f, theirs))]
        print(kind, equal, len(wrong))
        for name, *other in (wrong + lacking)[:3]:
            print("   ", name, *other, file=sys.stderr)


if sys.argv[1] == "take":
    take(sys.argv[2], sys.argv[3])
else:
    compare(sys.argv[2], sys.argv[3], sys.argv[4:])
