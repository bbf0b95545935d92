// SPDX-License-Identifier: BSD-2-Clause
package live;

import io.netty.channel.nio.NioEventLoopGroup;
import java.util.concurrent.CountDownLatch;

/**
 * EventLoops DIR ROUNDS: in each round request() hands tasks to event loops of Netty, and one of these tasks hands over another.
 * Code outside of request() hands over one more. Each calls child() with its number. The file `inside` lists those of request().
 */
public class EventLoops {
    static final NioEventLoopGroup loops = new NioEventLoopGroup(2);
    static volatile int sum;

    static void child(int number) {
        sum += number;
    }

    static void hand(CountDownLatch done, int number) {
        loops.next().execute(() -> {
            child(number);
            if (number % 5 == 2)
                hand(done, number + 1);
            done.countDown();
        });
    }

    static void request(CountDownLatch done, int number) {
        for (int i = 0; i < 3; i++)
            hand(done, number + i);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int rounds = Integer.parseInt(args[1]);
        StringBuilder inside = new StringBuilder();
        CountDownLatch early = new CountDownLatch(1);

        hand(early, 0); // its classes are loaded
        early.await();
        stage.awaitGo();
        for (int i = 0; i < rounds; i++) {
            CountDownLatch done = new CountDownLatch(5);

            request(done, 5 * i);
            hand(done, 5 * i + 4);
            done.await();
            for (int n = 5 * i; n < 5 * i + 4; n++)
                inside.append(n).append('\n');
        }
        stage.write("inside", inside.toString());
        stage.finish();
        loops.shutdownGracefully();
    }
}
