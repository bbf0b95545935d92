// SPDX-License-Identifier: BSD-2-Clause
package live;

import static live.ExitsMain.calls;

/**
 * Calls the methods that BigSource generated, by reflection, to compile without them. near8000 and near64k must stay
 * unchanged.
 */
public class BigMain {
    static long times(String method, int n) throws Exception {
        java.lang.reflect.Method target = Class.forName("live.Big").getDeclaredMethod(method, int.class);
        target.setAccessible(true);
        return calls(n, i -> target.invoke(null, i % 500));
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        String[] traced = {"locals300", "tableSwitch", "lookupSwitch", "wideJumps", "manyExits", "over8000"};
        times("locals300", n);
        stage.awaitGo();
        for (String method : traced)
            stage.expect("live.Big", method, n, times(method, n));
        times("near8000", n);
        times("near64k", n);
        System.out.println("big: " + n + " calls of each");
        stage.finish();
    }
}
