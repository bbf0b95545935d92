// SPDX-License-Identifier: BSD-2-Clause
package live;

import org.jruby.Ruby;
import org.jruby.RubyInstanceConfig;

/** RubyCalls DIR: a Ruby program that calls its methods; `log` has their names. */
public class RubyCalls {
    static final String PROGRAM = "$seen = []\n"
        + "def shop_price(n)\n  $seen << 'shop_price'\n  n.even? ? shop_rate(n) : n\nend\n"
        + "def shop_rate(n)\n  $seen << 'shop_rate'\n  n * 3\nend\n"
        + "def shop_stock(n)\n  $seen << 'shop_stock'\n  n + 1\nend\n";

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        RubyInstanceConfig config = new RubyInstanceConfig();
        config.setCompileMode(RubyInstanceConfig.CompileMode.OFF);
        Ruby ruby = Ruby.newInstance(config);
        ruby.evalScriptlet(PROGRAM + "shop_price(2)\nshop_stock(1)\n$seen.clear\n");
        stage.awaitGo();
        ruby.evalScriptlet("40.times { |i| shop_price(i)\n shop_stock(i) }");
        stage.write("log", ruby.evalScriptlet("$seen.join(\"\\n\")") + "\n");
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
