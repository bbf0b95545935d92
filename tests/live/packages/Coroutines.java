// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.nio.file.Files;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.ResultKt;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlin.coroutines.jvm.internal.SuspendLambda;
import kotlin.jvm.functions.Function2;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CompletableDeferred;
import kotlinx.coroutines.CompletableDeferredKt;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.DelayKt;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.ExecutorsKt;
import kotlinx.coroutines.GlobalScope;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.YieldKt;
import kotlinx.coroutines.sync.Mutex;
import kotlinx.coroutines.sync.MutexKt;

/**
 * Coroutines DIR THREADS CALLS: threads call request(), which is slow or fast and launches coroutines of Kotlin. One more thread
 * does the same outside of request(). A coroutine calls child() each time that it goes on: after a delay, a lock that all
 * share, a value that another thread has for it, and a yield. In each it launches one more. The files are those of Branched.
 */
public class Coroutines {
    static final long SLOW_NS = 90_000_000;
    static final Object SUSPENDED = IntrinsicsKt.getCOROUTINE_SUSPENDED();
    static final Queue<String> children = new ConcurrentLinkedQueue<>(), roots = new ConcurrentLinkedQueue<>();
    static final AtomicInteger calls = new AtomicInteger(), numbers = new AtomicInteger();
    static final LinkedBlockingQueue<CompletableDeferred<Unit>> asked = new LinkedBlockingQueue<>();
    static final Mutex mutex = MutexKt.Mutex(false);
    static final CoroutineContext pool = ExecutorsKt.from(Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work);

        thread.setDaemon(true);
        return thread;
    }));
    static volatile boolean over;
    static volatile int sink;

    static void child(int call) {
        sink += call;
    }

    static void called(int root, String way) {
        int call = calls.incrementAndGet();

        children.add(call + " " + root + " " + Thread.currentThread().getName().split(" ")[0] + " " + way);
        child(call);
    }

    /** A suspend function as the compiler writes it. */
    abstract static class Lambda extends SuspendLambda implements Function2<CoroutineScope, Continuation<? super Unit>, Object> {
        Lambda(Continuation<Object> completion) {
            super(2, completion);
        }

        @Override
        @SuppressWarnings("unchecked")
        public Object invoke(CoroutineScope scope, Continuation<? super Unit> completion) {
            return ((Lambda) (Object) create(scope, completion)).invokeSuspend(Unit.INSTANCE);
        }

        @Override
        protected abstract Object invokeSuspend(Object result);
    }

    static final class Steps extends Lambda {
        final int root;
        final String way;
        final CoroutineContext context;
        final CountDownLatch done;
        int at;

        Steps(int root, String way, CoroutineContext context, CountDownLatch done, Continuation<Object> completion) {
            super(completion);
            this.root = root;
            this.way = way;
            this.context = context;
            this.done = done;
        }

        @Override
        @SuppressWarnings("unchecked")
        public Continuation<Unit> create(Object scope, Continuation<?> completion) {
            return (Continuation<Unit>) (Continuation<?>) new Steps(root, way, context, done, (Continuation<Object>) completion);
        }

        Object next(int step) {
            switch (step) {
            case 0:
                launch(context, new Leaf(root, way + "-leaf", done, null));
                return DelayKt.delay(1, (Continuation<? super Unit>) (Continuation<?>) this);
            case 1:
                return mutex.lock(null, (Continuation<? super Unit>) (Continuation<?>) this);
            case 2:
                mutex.unlock(null);
                CompletableDeferred<Unit> answer = CompletableDeferredKt.CompletableDeferred((Job) null);
                asked.add(answer);
                return answer.await((Continuation<? super Unit>) (Continuation<?>) this);
            case 3:
                return YieldKt.yield((Continuation<? super Unit>) (Continuation<?>) this);
            default:
                done.countDown();
                return Unit.INSTANCE;
            }
        }

        @Override
        protected Object invokeSuspend(Object result) {
            ResultKt.throwOnFailure(result);
            while (at < 5) {
                called(root, way + at);
                if (next(at++) == SUSPENDED)
                    return SUSPENDED;
            }
            return Unit.INSTANCE;
        }
    }

    static final class Leaf extends Lambda {
        final int root;
        final String way;
        final CountDownLatch done;

        Leaf(int root, String way, CountDownLatch done, Continuation<Object> completion) {
            super(completion);
            this.root = root;
            this.way = way;
            this.done = done;
        }

        @Override
        @SuppressWarnings("unchecked")
        public Continuation<Unit> create(Object scope, Continuation<?> completion) {
            return (Continuation<Unit>) (Continuation<?>) new Leaf(root, way, done, (Continuation<Object>) completion);
        }

        @Override
        protected Object invokeSuspend(Object result) {
            called(root, way);
            done.countDown();
            return Unit.INSTANCE;
        }
    }

    static void launch(CoroutineContext context, Lambda block) {
        BuildersKt.launch(GlobalScope.INSTANCE, context, CoroutineStart.DEFAULT, block);
    }

    static final class Plan {
        final int root;
        final boolean slow;
        final CountDownLatch done = new CountDownLatch(8);

        Plan(int root, boolean slow) {
            this.root = root;
            this.slow = slow;
        }

        void run() throws InterruptedException {
            CoroutineContext[] contexts = {Dispatchers.getDefault(), Dispatchers.getIO(), Dispatchers.getUnconfined(), pool};
            String[] ways = {"default", "io", "unconfined", "pool"};

            for (int i = 0; i < contexts.length; i++)
                launch(contexts[i], new Steps(root, ways[i], contexts[i], done, null));
            if (slow)
                Stage.sleep(SLOW_NS / 1_000_000);
            done.await();
        }
    }

    static void request(Plan plan) throws InterruptedException {
        plan.run();
    }

    static void serve(int requests) {
        try {
            for (int i = 0; i < requests; i++) {
                Plan plan = new Plan(numbers.incrementAndGet(), i % 3 == 0);
                long begin = System.nanoTime();

                request(plan);
                roots.add(plan.root + " " + begin + " " + System.nanoTime() + " " + (plan.slow ? SLOW_NS : 0));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void besides() {
        try {
            while (!over)
                new Plan(0, false).run();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void answer() {
        try {
            for (;;)
                asked.take().complete(Unit.INSTANCE);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread begin(Runnable work, boolean daemon) {
        Thread thread = new Thread(work);

        thread.setDaemon(daemon);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        Thread other;

        begin(Coroutines::answer, true);
        new Plan(0, false).run(); // its classes are loaded
        stage.awaitGo();
        other = begin(Coroutines::besides, true);
        for (int i = 0; i < threads.length; i++)
            threads[i] = begin(() -> serve(Integer.parseInt(args[2])), false);
        for (Thread thread : threads)
            thread.join();
        over = true;
        other.join();
        Files.write(new File(args[0], "children").toPath(), children);
        Files.write(new File(args[0], "roots").toPath(), roots);
        stage.finish();
    }
}
