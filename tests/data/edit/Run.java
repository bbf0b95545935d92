// SPDX-License-Identifier: BSD-2-Clause
/* Call the static method `Object run(int)`, or int, of each class named, with 0 to 3; print what comes out. */
public class Run {
	public static void main(String[] names) throws Exception {
		for (String name : names) {
			Class<?> c = Class.forName(name);
			for (int i = 0; i < 4; i++) {
				String result;
				try {
					result = String.valueOf(c.getMethod("run", int.class).invoke(null, i));
				} catch (java.lang.reflect.InvocationTargetException e) {
					result = e.getCause().toString();
				}
				System.out.println(name + " " + i + " = " + result);
			}
		}
		if (System.getProperty("ids") != null)
			for (String line : Hook.report())
				System.err.println(line);
	}
}
