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
 * TaskLoaders DIR N: calls request() N times. Each call hands two tasks to a pool of four, and their class has a loader of its own.
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
        stage.markCollected(all);
        stage.await("quit");
        System.exit(0);
    }
}
