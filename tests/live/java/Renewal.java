// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.function.IntUnaryOperator;

/**
 * Renewal DIR FIRST LATER: load Copy with FIRST class loaders, one after the other, and with LATER more when "again"
 * exists.
 */
public class Renewal {
    static void round(int loaders) throws Exception {
        for (int i = 0; i < loaders; i++) {
            Class<?> copy = new SlowLoader.Slow(0).loadClass("live.Copy");
            ((IntUnaryOperator) copy.getConstructor().newInstance()).applyAsInt(1);
        }
        System.gc();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int later = Integer.parseInt(args[2]);
        stage.awaitGo();
        round(Integer.parseInt(args[1]));
        stage.mark("first");
        stage.await("again");
        round(later);
        stage.expect("live.Copy", "work", later, 0);
        stage.finish();
    }
}
