// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.consumer.EventStream;

/**
 * Follow DIR: the method events of a directory of chunk files, as they come, to their end. Prints "N events, early" when the
 * first ones came while the file DIR/going was there, else "N events, late"; fails when one is older than the one before.
 */
public class Follow {
    public static void main(String[] args) throws Exception {
        Path going = Path.of(args[0], "going");
        AtomicLong events = new AtomicLong();
        boolean[] early = new boolean[1];
        Instant[] last = {Instant.EPOCH};

        try (EventStream stream = EventStream.openRepository(Path.of(args[0]))) {
            stream.setOrdered(true);
            stream.setStartTime(Instant.EPOCH);
            stream.onEvent("jdk.MethodTrace", event -> {
                if (event.getEndTime().isBefore(last[0]))
                    throw new IllegalStateException(event.getEndTime() + " after " + last[0]);
                last[0] = event.getEndTime();
                if (events.incrementAndGet() == 100)
                    early[0] = Files.exists(going);
            });
            stream.onError(failure -> {
                failure.printStackTrace(System.out);
                System.exit(1);
            });
            stream.start();
        }
        System.out.println(events + " events, " + (early[0] ? "early" : "late"));
    }
}
