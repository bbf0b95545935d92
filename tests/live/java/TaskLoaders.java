// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * TaskLoaders DIR N: N calls of request(), each of which hands two tasks, whose class has a loader of its own, to a pool of four.
 * Makes `collected` once the garbage collector has found that nobody refers to any of the loaders.
 */
public class TaskLoaders {
    static final ExecutorService pool = Executors.newFixedThreadPool(4);

    public static class Task implements Runnable {
        @Override
        public void run() {
            Thread.yield();
        }
    }

    static WeakReference<ClassLoader> request() throws Exception {
        URL[] path = {new File(System.getProperty("java.class.path")).toURI().toURL()};
        URLClassLoader loader = new URLClassLoader(path, null);
        Class<?> type = Class.forName("live.TaskLoaders$Task", true, loader);
        Future<?> one = pool.submit((Runnable)type.getConstructor().newInstance());

        CompletableFuture.runAsync((Runnable)type.getConstructor().newInstance(), pool).get();
        one.get();
        loader.close();
        return new WeakReference<>(loader);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<WeakReference<ClassLoader>> all = new ArrayList<>();

        stage.awaitGo();
        for (int i = 0; i < Integer.parseInt(args[1]); i++)
            all.add(request());
        stage.mark("done");
        for (int i = 0; i < 4; i++)
            pool.submit(() -> { }).get(); // what a worker ran last may be on its stack
        while (all.stream().anyMatch(w -> w.get() != null)) {
            Thread.sleep(100);
            System.gc();
        }
        stage.mark("collected");
        stage.await("quit");
        System.exit(0);
    }
}
