// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** When the threads of a process were off their CPUs, from the lines "TID NS out|in" of switches.c. */
final class OffCpu {
    /** Of each thread: when it got a CPU again, and when it had left the one before. */
    private final Map<String, TreeMap<Long, Long>> threads = new HashMap<>();

    OffCpu(Path file) throws IOException {
        Map<String, TreeMap<Long, String>> times = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] f = line.split(" ");
            times.computeIfAbsent(f[0], k -> new TreeMap<>()).put(Long.parseLong(f[1]), f[2]);
        }
        times.forEach((thread, all) -> {
            TreeMap<Long, Long> offs = new TreeMap<>();
            long left = -1;
            for (Map.Entry<Long, String> e : all.entrySet()) {
                if (e.getValue().equals("in") && left >= 0)
                    offs.put(e.getKey(), left);
                left = e.getValue().equals("out") ? e.getKey() : -1;
            }
            threads.put(thread, offs);
        });
    }

    /** How long a thread was off its CPU from begin to end, in ns of CLOCK_MONOTONIC; -1: it is unknown. */
    long time(String thread, long begin, long end) {
        long off = 0;
        if (!threads.containsKey(thread))
            return -1;
        for (Map.Entry<Long, Long> e : threads.get(thread).tailMap(begin).entrySet()) {
            if (e.getValue() >= end)
                break;
            off += Math.min(e.getKey(), end) - Math.max(e.getValue(), begin);
        }
        return off;
    }
}
