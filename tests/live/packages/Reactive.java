// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Reactive DIR THREADS CALLS: threads call request(), which is slow or fast and subscribes to publishers of Reactor that work on
 * other threads. One more thread does the same outside of request(). Each element is a call of child(). The files are those of
 * Branched.
 */
public class Reactive {
    static final long SLOW_NS = 90_000_000;
    static final Queue<String> children = new ConcurrentLinkedQueue<>(), roots = new ConcurrentLinkedQueue<>();
    static final AtomicInteger calls = new AtomicInteger(), numbers = new AtomicInteger();
    static final Scheduler single = Schedulers.newSingle("single", true);
    static final Scheduler pool = Schedulers.newParallel("pool", 2, true);
    static volatile boolean over;
    static volatile int sink;

    static void child(int call) {
        sink += call;
    }

    static void called(int root, String way) {
        int call = calls.incrementAndGet();

        children.add(call + " " + root + " " + Thread.currentThread().getName() + " " + way);
        child(call);
    }

    static void run(int root, boolean slow) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(5);

        Flux.range(0, 3).publishOn(pool).doOnNext(i -> called(root, "publishOn")).publishOn(single)
                .doOnNext(i -> called(root, "publishOn-single")).doOnTerminate(done::countDown).subscribe();
        Flux.range(0, 3).doOnNext(i -> called(root, "subscribeOn")).subscribeOn(Schedulers.elastic())
                .doOnTerminate(done::countDown).subscribe();
        Flux.range(0, 3).delayElements(Duration.ofMillis(1), pool).doOnNext(i -> called(root, "delayElements"))
                .doOnTerminate(done::countDown).subscribe();
        Mono.fromCallable(() -> 1).subscribeOn(Schedulers.parallel()).delayElement(Duration.ofMillis(1))
                .doOnNext(i -> called(root, "delayElement")).doOnTerminate(done::countDown).subscribe();
        Flux.range(0, 4).parallel(2).runOn(Schedulers.parallel()).doOnNext(i -> called(root, "runOn")).sequential()
                .doOnTerminate(done::countDown).subscribe();
        if (slow)
            Stage.sleep(SLOW_NS / 1_000_000);
        done.await();
    }

    static void request(int root, boolean slow) throws InterruptedException {
        run(root, slow);
    }

    static void serve(int requests) {
        try {
            for (int i = 0; i < requests; i++) {
                int root = numbers.incrementAndGet();
                boolean slow = i % 3 == 0;
                long begin = System.nanoTime();

                request(root, slow);
                roots.add(root + " " + begin + " " + System.nanoTime() + " " + (slow ? SLOW_NS : 0));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void besides() {
        try {
            while (!over)
                run(0, false);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread begin(Runnable work) {
        Thread thread = new Thread(work);

        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        Thread other;

        run(0, false); // its classes are loaded
        stage.awaitGo();
        other = begin(Reactive::besides);
        for (int i = 0; i < threads.length; i++)
            threads[i] = begin(() -> serve(Integer.parseInt(args[2])));
        for (Thread thread : threads)
            thread.join();
        over = true;
        other.join();
        Files.write(new File(args[0], "children").toPath(), children);
        Files.write(new File(args[0], "roots").toPath(), roots);
        stage.finish();
    }
}
