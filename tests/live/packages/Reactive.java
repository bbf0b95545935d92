// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Served: publishers of Reactor that work on other threads. Each element is a call. */
public class Reactive extends Served {
    static final Scheduler single = Schedulers.newSingle("single", true);
    static final Scheduler pool = Schedulers.newParallel("pool", 2, true);

    @Override
    void work(int root, boolean slow) throws InterruptedException {
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
        pause(slow);
        done.await();
    }

    public static void main(String[] args) throws Exception {
        new Reactive().run(args);
    }
}
