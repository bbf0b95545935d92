// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.consumer.EventStream;

/**
 * Follow DIR: read the method events of a directory of chunk files while they are written, to the end. Prints "N
 * events, early" if the first ones came while the file DIR/going existed, else "N events, late"; fails if events are
 * out of order.
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
