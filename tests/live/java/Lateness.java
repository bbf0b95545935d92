// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.time.Instant;
import java.util.Date;

/** Lateness DIR now|later: 300 jobs, whose class is loaded before or after tracing begins, and what they are late by. */
public class Lateness {
    static class Job {
        Date fire;
        Date due;
        Instant planned;
        long began;
        int number;
        double cost;
        Long limit;

        long run(int id, double paid) {
            return began + id;
        }
    }

    static String late(Object missing, long difference) {
        return missing == null ? "null" : "" + difference;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        StringBuilder log = new StringBuilder();
        if (args[1].equals("now"))
            new Job().run(0, 0);
        stage.awaitGo();
        for (int i = 0; i < 300; i++) {
            Job job = new Job();
            job.fire = new Date(1_700_000_000_000L + 7L * i);
            job.due = i % 10 == 3 ? null : new Date(1_700_000_000_000L + i);
            job.planned = Instant.ofEpochSecond(1_700_000_000L - i, 123456);
            job.began = i == 17 ? Long.MIN_VALUE : i * 1000L;
            job.number = i / 2;
            job.cost = i * 0.5;
            job.limit = i % 2 == 0 ? null : Long.valueOf(i);
            job.run(i, 0.25 * i);
            log.append(i).append(' ').append(late(job.due, 6_000_000L * i));
            log.append(' ').append((7L * i + 1000L * i) * 1_000_000 - 123456);
            log.append(' ').append(late(i == 17 ? null : job, job.began - job.number));
            log.append(' ').append(late(job.limit, 0)).append(' ').append(i * 0.25).append('\n');
        }
        stage.write("late", log.toString());
        stage.finish();
    }
}
