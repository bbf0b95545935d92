// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Classes in classes: what expressions of events name as the program's source does. */
public class Nested {
    static String shared = "of all";
    final String outer;
    private final int number;

    Nested(int number) {
        this.number = number;
        outer = "outer" + number;
    }

    static class Above {
        static int count = 7;
        final String hidden = "above";
    }

    class Inner extends Above {
        final String hidden = "inner" + number;

        String own(int[] items, Above[] others) {
            return hidden + outer;
        }

        class Deep {
            final String mine = "deep";

            String deep(long id) {
                return mine + hidden + outer + id;
            }
        }
    }

    static class Alone {
        void alone() {
        }
    }

    /** DIRECTORY CALLS */
    public static void main(String[] arguments) throws Exception {
        Stage stage = new Stage(arguments[0]);
        int calls = Integer.parseInt(arguments[1]);
        Inner.Deep[] objects = new Inner.Deep[calls];
        Inner[] around = new Inner[calls];
        for (int i = 0; i < calls; i++) {
            around[i] = new Nested(i).new Inner();
            objects[i] = around[i].new Deep();
        }
        new Alone().alone();
        stage.awaitGo();
        for (int i = 0; i < calls; i++) {
            around[i].own(new int[i], new Above[1]);
            objects[i].deep(i);
        }
        stage.finish();
    }
}
