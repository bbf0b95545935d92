// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Constructors with code before super() (JEP 513, Java 25). */
public class Flexible {
    static class Base {
        final int value;

        Base(int x) {
            if (x % 4 == 1)
                throw new IllegalStateException("in the super constructor");
            value = x;
        }
    }

    static class Early extends Base {
        final int early;

        Early(int x) {
            if (x % 4 == 0)
                throw new IllegalStateException("before super()");
            int y = 0;
            for (int i = 0; i < 3; i++)
                y += i;
            try {
                if (x % 2 == 0)
                    throw new IllegalArgumentException("caught before super()");
            } catch (IllegalArgumentException e) {
                y++;
            }
            early = y;
            super(x);
            if (x % 4 == 2)
                throw new IllegalStateException("after super()");
        }
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]) / 40 * 40;
        ExitsMain.calls(n, i -> new Early(i % 4 == 1 ? 3 : i));
        stage.awaitGo();
        long thrown = ExitsMain.calls(n, i -> new Early(i % 4 == 1 ? 3 : i));
        stage.expect("live.Flexible$Early", "<init>", n, thrown);
        stage.expect("live.Flexible$Base", "<init>", n / 4 * 3, 0);
        System.out.println("flexible: " + n + " calls");
        stage.finish();
    }
}
