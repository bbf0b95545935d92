// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.quartz.impl.DirectSchedulerFactory;

/** QuartzJobs DIR: jobs of two names on one thread; `log` has their names in the order in which they ran. */
public class QuartzJobs {
    static final int COUNT = 40;
    static final List<String> seen = new ArrayList<>();
    static final CountDownLatch left = new CountDownLatch(COUNT);

    public static class Price implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            seen.add(context.getJobDetail().getKey().getName() + " " + context.getFireTime().toInstant());
            left.countDown();
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        DirectSchedulerFactory.getInstance().createVolatileScheduler(1);
        Scheduler scheduler = DirectSchedulerFactory.getInstance().getScheduler();
        scheduler.start();
        stage.awaitGo();
        for (int i = 0; i < COUNT; i++)
            scheduler.scheduleJob(JobBuilder.newJob(Price.class).withIdentity("job-" + i).build(), TriggerBuilder.newTrigger().startAt(new Date()).build());
        left.await();
        scheduler.shutdown(true);
        stage.write("log", String.join("\n", seen) + "\n");
        stage.write("jobs", String.join("\n", seen).replaceAll(" .*", "") + "\n");
        stage.finish();
    }
}
