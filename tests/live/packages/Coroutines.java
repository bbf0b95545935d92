// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
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
 * Served: coroutines of Kotlin, which call each time that they go on: after a delay, a lock that all share, a value that another
 * thread has for them, and a yield. In each of these they launch one more. Before that, a pool of theirs gets tasks of many classes.
 */
public class Coroutines extends Served {
    static final int CLASSES = 2000;
    static final Object SUSPENDED = IntrinsicsKt.getCOROUTINE_SUSPENDED();
    static final LinkedBlockingQueue<CompletableDeferred<Unit>> asked = new LinkedBlockingQueue<>();
    static final Mutex mutex = MutexKt.Mutex(false);
    static final ExecutorService executor = Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work);

        thread.setDaemon(true);
        return thread;
    });
    static final CoroutineContext pool = ExecutorsKt.from(executor);

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

    @Override
    void work(int root, boolean slow) throws InterruptedException {
        CoroutineContext[] contexts = {Dispatchers.getDefault(), Dispatchers.getIO(), Dispatchers.getUnconfined(), pool};
        String[] ways = {"default", "io", "unconfined", "pool"};
        CountDownLatch done = new CountDownLatch(8);

        for (int i = 0; i < contexts.length; i++)
            launch(contexts[i], new Steps(root, ways[i], contexts[i], done, null));
        pause(slow);
        done.await();
    }

    /** A class of its own in each loader. */
    public static final class Plain implements Runnable {
        @Override
        public void run() { }
    }

    static final class Loader extends ClassLoader {
        Runnable plain(byte[] code) throws Exception {
            return (Runnable) defineClass(Plain.class.getName(), code, 0, code.length).getConstructor().newInstance();
        }
    }

    static byte[] code() throws Exception {
        ByteArrayOutputStream code = new ByteArrayOutputStream();

        try (InputStream in = Coroutines.class.getResourceAsStream("Coroutines$Plain.class")) {
            for (int b = in.read(); b >= 0; b = in.read())
                code.write(b);
        }
        return code.toByteArray();
    }

    /** A request that hands the pool a task of each class. */
    static final class Crowd extends Served {
        @Override
        void work(int root, boolean slow) {
            try {
                byte[] code = code();

                for (int i = 0; i < CLASSES; i++)
                    executor.execute(new Loader().plain(code));
                executor.submit(() -> { }).get();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    void first() throws InterruptedException {
        new Crowd().request(0, false);
    }

    static void answer() {
        try {
            for (;;)
                asked.take().complete(Unit.INSTANCE);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        begin(Coroutines::answer, true);
        new Coroutines().run(args);
    }
}
