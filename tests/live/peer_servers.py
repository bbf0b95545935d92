# SPDX-License-Identifier: BSD-2-Clause
"""peer_servers.py DIR [CGROUP]: servers in processes of their own, until this one ends.

DIR/servers has a line "NAME PLACE" for each, its process's name and its port or path. They answer each byte after 3 ms. Of
"twice" two processes have each connection; "handed" is the child that has got it; "boxed" is in the control group.
"""
import ctypes
import os
import signal
import socket
import sys
import time

directory, group = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None


def rename(name):
    with open("/proc/self/comm", "w") as comm:
        comm.write(name)


def answer(connection):
    while connection.recv(1):
        time.sleep(0.003)
        connection.send(b"x")
    signal.pause()


def serve(name, server):
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    rename(name if name != "handed" else "parent")
    if name == "boxed" and group:
        with open(group + "/cgroup.procs", "w") as procs:
            procs.write("0")
    connection, _ = server.accept()
    if name in ("twice", "handed") and os.fork() == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        rename(name)
        answer(connection)
    if name == "handed":
        connection.close()
        signal.pause()
    if name == "twice":
        signal.pause()
    answer(connection)


def listening(name):
    if name == "local":
        server = socket.socket(socket.AF_UNIX)
        server.bind(directory + "/local")
        place = directory + "/local"
    elif name == "mapped":
        server = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        place = server.getsockname()[1]
    else:
        server = socket.create_server(("127.0.0.1", 0))
        place = server.getsockname()[1]
    server.listen(1)
    return server, place


lines = []
for name in ("plain", "mapped", "local", "twice", "handed", "boxed"):
    server, place = listening(name)
    lines.append(f"{name} {place}\n")
    if os.fork() == 0:
        serve(name, server)
    server.close()
with open(directory + "/servers.new", "w") as file:
    file.writelines(lines)
os.rename(directory + "/servers.new", directory + "/servers")
signal.pause()
