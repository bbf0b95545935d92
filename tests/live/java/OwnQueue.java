// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.nio.file.Files;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * OwnQueue DIR ROUNDS: a queue of the program's own, with one thread, "worker". In each round request() puts three objects
 * into it. Code outside of request() puts two more; request() has put one of them before. For each object the thread calls
 * child() with its number. The file `inside` lists the objects of request().
 */
public class OwnQueue {
    static final class Mail {
        final int number;

        Mail(int number) {
            this.number = number;
        }
    }

    static final class Box {
        private final LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();

        void put(Object mail) {
            put(mail, true);
        }

        private void put(Object mail, boolean checked) {
            if (checked && !queue.offer(mail))
                throw new IllegalStateException("the queue is full");
        }
    }

    static final Box box = new Box();
    static final Semaphore handled = new Semaphore(0);
    static volatile int sum;

    static void child(int number) {
        sum += number;
    }

    static void handle(long at, Object mail) {
        child(((Mail) mail).number);
    }

    static void work() {
        for (;;) {
            try {
                handle(System.nanoTime(), box.queue.take());
            } catch (InterruptedException e) {
                return;
            }
            handled.release();
        }
    }

    static Mail request(int number) {
        Mail last = new Mail(number + 2);

        box.put(new Mail(number));
        box.put(new Mail(number + 1));
        box.put(last);
        return last;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int rounds = Integer.parseInt(args[1]);
        StringBuilder inside = new StringBuilder();
        Thread worker = new Thread(OwnQueue::work, "worker");

        worker.setDaemon(true);
        worker.start();
        stage.awaitGo();
        for (int i = 0; i < rounds; i++) {
            Mail last = request(4 * i);

            handled.acquireUninterruptibly(3);
            box.put(last);
            box.put(new Mail(4 * i + 3));
            handled.acquireUninterruptibly(2);
            for (int n = 4 * i; n < 4 * i + 3; n++)
                inside.append(n).append('\n');
        }
        Files.write(new File(args[0], "inside").toPath(), inside.toString().getBytes());
        stage.finish();
    }
}
