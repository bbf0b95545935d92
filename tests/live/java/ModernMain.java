// SPDX-License-Identifier: BSD-2-Clause
package live;

import static live.ExitsMain.calls;

/** Calls the methods of Modern. */
public class ModernMain {
    static void points(Stage stage, int n) {
        calls(n, i -> new Modern.Point(i % 9));
        long thrown = calls(n, i -> new Modern.Point(i, 1).sum());
        Modern.Point one = new Modern.Point(1, 2), two = new Modern.Point(1, 2);
        calls(n, i -> one.equals(two) ? one.hashCode() : one.toString());
        String type = "live.Modern$Point";
        stage.expect(type, "<init>", "(I)V", "*", "*", n, 0);
        stage.expect(type, "<init>", "(II)V", "*", "*", 2L * n + 2, thrown);
        stage.expect(type, "sum", n - thrown, 0);
        stage.expect(type, "x", n - thrown, 0);
        stage.expect(type, "y", n - thrown, 0);
        stage.expect(type, "equals", n, 0);
        stage.expect(type, "hashCode", n, 0);
        stage.allow(type, "toString");
    }

    static void shapes(Stage stage, int n) {
        Modern.Shape disc = new Modern.Disc(2);
        calls(n, i -> disc.size());
        long boxes = calls(n, i -> new Modern.Box(i % 3, 1).size());
        long arms = calls(n, i -> Modern.switchExpression(disc, i));
        stage.expect("live.Modern$Disc", "<init>", 1, 0);
        stage.expect("live.Modern$Disc", "area", n, 0);
        stage.expect("live.Modern$Disc", "r", n, 0);
        stage.expect("live.Modern$Box", "<init>", n, 0);
        stage.expect("live.Modern$Box", "area", n, boxes);
        stage.expect("live.Modern$Shape", "size", 2L * n, boxes);
        stage.expect("live.Modern", "switchExpression", n, arms);
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]) / 40 * 40;
        points(new Stage(args[0]), n);
        shapes(new Stage(args[0]), n);
        stage.awaitGo();
        points(stage, n);
        shapes(stage, n);
        calls(n, i -> Modern.concatenation(i));
        stage.expect("live.Modern", "concatenation", n, 0);
        stage.expect("live.Modern", "resources", n, calls(n, i -> Modern.resources(i)));
        System.out.println("modern: " + n + " calls of each");
        stage.finish();
    }
}
