// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reread FILE SECONDS: read the file from beginning to end repeatedly while it grows. Prints "N times, N events at the
 * end"; fails if it cannot be read, or if its last event is older than that of the previous time.
 */
public class Reread {
    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000, events = 0;
        Path file = Path.of(args[0]);
        Instant last = Instant.EPOCH;
        int times = 0;

        for (; System.nanoTime() < end; times++) {
            while (!Files.exists(file) || Files.size(file) == 0)
                Thread.sleep(1);
            Instant latest = Instant.EPOCH;
            events = 0;
            try (RecordingFile recording = new RecordingFile(file)) {
                while (recording.hasMoreEvents()) {
                    RecordedEvent event = recording.readEvent();
                    if (event.getEndTime().isAfter(latest))
                        latest = event.getEndTime();
                    events++;
                }
            }
            if (latest.isBefore(last))
                throw new IllegalStateException("ended at " + last + ", now at " + latest);
            last = latest;
        }
        System.out.println(times + " times, " + events + " events at the end");
    }
}
