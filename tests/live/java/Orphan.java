// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Constructors that end with an exception out of super() or this() itself. */
public class Orphan {
    static class Parent {
        Parent(int x) {
            throw new IllegalStateException("parent");
        }
    }

    static class Child extends Parent {
        Child(int x) {
            super(x);
        }

        Child() {
            this(1);
        }
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        stage.awaitGo();
        ExitsMain.calls(n, Child::new);
        ExitsMain.calls(n, i -> new Child());
        stage.finish();
    }
}
