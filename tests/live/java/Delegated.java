// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;

/** Delegated DIR CALLS platform|virtual: statements that hand each call on to another one, which calls itself. */
public class Delegated {
    interface Statement {
        int execute(String sql, int deep);
    }

    static class Real implements Statement {
        public int execute(String sql, int deep) {
            if (deep == 0 && sql.endsWith("3"))
                throw new IllegalStateException();
            return deep == 0 ? 0 : execute(sql, deep - 1) + 1;
        }
    }

    /** It is not a Statement by its own class file. */
    static class Traced extends Proxy {
        Traced(Statement in) {
            super(in);
        }

        @Override
        public int execute(String sql, int deep) {
            return super.execute(sql, deep);
        }
    }

    static class Proxy implements Statement {
        final Statement in;

        Proxy(Statement in) {
            this.in = in;
        }

        public int execute(String sql, int deep) {
            return in.execute(sql, deep);
        }
    }

    static int factorial(int n) {
        return n < 2 ? 1 : n * factorial(n - 1);
    }

    static void statement(String sql, int deep) {
        try {
            new Traced(new Proxy(new Real())).execute(sql, deep);
        } catch (IllegalStateException expected) {
            Thread.yield();
        }
    }

    static void request(int i) {
        statement("sql " + i, i % 3);
        statement("again " + i, 0);
        factorial(i % 40 + 1); // beyond the open calls that are kept
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int calls = Integer.parseInt(args[1]);
        List<Thread> all = new ArrayList<>();
        stage.awaitGo();
        for (int t = 0; t < 4; t++) {
            int first = t * calls;
            all.add(Valued.start(args[2].equals("virtual"), () -> {
                for (int i = 0; i < calls; i++) {
                    request(first + i);
                    if (i % 50 == 7)
                        Stage.sleep(1);
                }
            }));
        }
        for (Thread thread : all)
            thread.join();
        stage.finish();
    }
}
