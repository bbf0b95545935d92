// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * TasksLeft DIR COUNT: a call of request() hands tasks to a pool that is busy and then forgets them. Makes `collected` once
 * the garbage collector has found that nobody else refers to them.
 */
public class TasksLeft {
    static final CountDownLatch busy = new CountDownLatch(1);
    static final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>());

    static final class Task implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("it was forgotten");
        }
    }

    static List<WeakReference<Task>> request(int count) {
        List<WeakReference<Task>> all = new ArrayList<>();

        for (int i = 0; i < count; i++) {
            Task t = new Task();

            all.add(new WeakReference<>(t));
            pool.execute(t);
        }
        pool.getQueue().clear();
        return all;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<WeakReference<Task>> all;

        pool.execute(() -> {
            try {
                busy.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        stage.awaitGo();
        all = request(Integer.parseInt(args[1]));
        stage.mark("done");
        stage.markCollected(all);
        stage.await("quit");
        System.exit(0);
    }
}
