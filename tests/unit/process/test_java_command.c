// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/java_command.h"

static const char *main_of(int argc, const char *const *argv, struct java_command *c)
{
	java_command_parse(argc, argv, c);
	return c->main ? c->main : "(none)";
}

#define MAIN(...)                                                                                      \
	main_of(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__}, \
		&(struct java_command){0})

CASE(main_class_follows_options_and_their_values)
{
	assert_string_equal(MAIN("java", "com.acme.Main", "-jar", "x"), "com.acme.Main");
	assert_string_equal(MAIN("java", "-Xmx1g", "-cp", "a:b", "-Dx=y", "com.acme.Main"), "com.acme.Main");
	assert_string_equal(MAIN("java", "-classpath", "a", "--class-path", "b", "--class-path=c", "M"), "M");
	assert_string_equal(MAIN("java", "-p", "mods", "--module-path", "m", "--upgrade-module-path", "u", "M"), "M");
	assert_string_equal(MAIN("java", "--add-modules", "x", "--add-opens", "a/b=c", "--add-exports", "d",
				 "--add-reads", "e", "M"),
			    "M");
	assert_string_equal(MAIN("java", "--patch-module", "x", "--limit-modules", "y", "--enable-native-access", "z",
				 "--source", "21", "M"),
			    "M");
	assert_string_equal(MAIN("java", "--add-opens=java.base/java.lang=ALL-UNNAMED", "-XX:Flags=f", "-ea", "M"),
			    "M");
}

CASE(jar_and_module_follow_their_option)
{
	assert_string_equal(MAIN("java", "-Xint", "-jar", "/opt/shop.jar", "-cp", "z"), "/opt/shop.jar");
	assert_string_equal(MAIN("java", "-p", "mods", "-m", "shop/com.acme.Main", "x"), "shop/com.acme.Main");
	assert_string_equal(MAIN("java", "--module", "shop/com.acme.Main"), "shop/com.acme.Main");
	assert_string_equal(MAIN("java", "--module=shop/com.acme.Main", "x"), "shop/com.acme.Main");
	assert_string_equal(MAIN("java", "-jar", "-Dlate=1", "/opt/shop.jar"), "/opt/shop.jar");
}

CASE(a_server_is_known_by_its_directory)
{
	struct java_command c;

	assert_string_equal(main_of(6,
				    (const char *[]){"java", "-Dcatalina.home=/usr/share/tomcat10",
						     "-Dcatalina.base=/var/lib/tomcat10", "-Djava.io.tmpdir=/tmp",
						     "org.apache.catalina.startup.Bootstrap", "start"},
				    &c),
			    "org.apache.catalina.startup.Bootstrap");
	assert_string_equal(c.instance, "/var/lib/tomcat10");
	/* an argument of the program is no property */
	assert_string_equal(main_of(3, (const char *[]){"java", "com.acme.Main", "-Dcatalina.base=/x"}, &c),
			    "com.acme.Main");
	assert_null(c.instance);
}

CASE(content_of_an_argument_file_is_not_guessed)
{
	struct java_command c;
	const char *argv[] = {"java", "@options", "-Xint", "word"};

	java_command_parse(4, argv, &c);
	assert_null(c.main);
	assert_true(c.has_files);
	assert_int_equal(c.main_at, 4);
	assert_string_equal(MAIN("java"), "(none)");
	assert_string_equal(MAIN("java", "-version"), "(none)");
	assert_string_equal(MAIN("java", "-cp"), "(none)");
}

CASE(argument_files_after_the_main_class_are_the_programs_own)
{
	assert_string_equal(MAIN("java", "M", "@options"), "M");
}

CASE(name_is_the_usual_short_one)
{
	char name[64], small[5];

	java_command_name("/opt/shop dir/shop.jar", name, sizeof(name));
	assert_string_equal(name, "shop.jar");
	java_command_name("shop/com.acme.Main", name, sizeof(name));
	assert_string_equal(name, "com.acme.Main");
	java_command_name("com.acme.Main", name, sizeof(name));
	assert_string_equal(name, "com.acme.Main");
	java_command_name("a\033[31mb\n", name, sizeof(name));
	assert_string_equal(name, "a?[31mb?");
	java_command_name("com.acme.Main", small, sizeof(small));
	assert_string_equal(small, "com.");
}

CASE(the_last_setting_of_a_flag_counts)
{
	assert_int_equal(jvm_flag_set("-XX:+DisableAttachMechanism", "DisableAttachMechanism"), 1);
	assert_int_equal(jvm_flag_set("-Xint -XX:+DisableAttachMechanism -XX:-DisableAttachMechanism -Xint",
				      "DisableAttachMechanism"),
			 0);
	assert_int_equal(jvm_flag_set("-XX:+DisableAttachMechanismX", "DisableAttachMechanism"), -1);
	assert_int_equal(jvm_flag_set("-XX:", "DisableAttachMechanism"), -1);
	assert_int_equal(jvm_flag_set("", "DisableAttachMechanism"), -1);
}

static void check_mask(const char *expected, int count, const char *const *words)
{
	char *masked = java_command_mask(count, words);

	assert_string_equal(masked, expected);
	free(masked);
}

#define MASKS(expected, ...) \
	check_mask(expected, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

CASE(secrets_after_an_equals_sign_are_masked)
{
	MASKS("-Dfoo.password=***", "-Dfoo.password=hunter2 and more");
	MASKS("-Djavax.net.ssl.keyStorePassword=***", "-Djavax.net.ssl.keyStorePassword=changeit");
	MASKS("--token=*** --ok=1", "--token=abc", "--ok=1");
	MASKS("-DAPI_KEY=*** -DapiKey=*** -Dapi-key=*** -Dkey=***", "-DAPI_KEY=1", "-DapiKey=1", "-Dapi-key=1",
	      "-Dkey=1");
	MASKS("-Ddb.passwd=*** -Ddb.pwd=*** -DdbPass=***", "-Ddb.passwd=1", "-Ddb.pwd=1", "-DdbPass=1");
	MASKS("-Dclient_secret=*** -Dcredential=*** -Dcredentials=***", "-Dclient_secret=1", "-Dcredential=1",
	      "-Dcredentials=1");
	MASKS("-javaagent:/a.jar=x=1,license.key=***", "-javaagent:/a.jar=x=1,license.key=abc,y=2");
	MASKS("--json={\"user\":\"x\",\"password\":***", "--json={\"user\":\"x\",\"password\":\"y\"}");
	MASKS("-Durl=jdbc:x://h/db?user=a&password=***", "-Durl=jdbc:x://h/db?user=a&password=b&c=d");
	MASKS("-Dsecret=***", "-Dsecret=");
}

CASE(secrets_in_the_next_word_are_masked)
{
	MASKS("Main --password *** --port 80", "Main", "--password", "hunter2", "--port", "80");
	MASKS("Main --use-token --port 80", "Main", "--use-token", "--port", "80");
	MASKS("Main login bob password ***", "Main", "login", "bob", "password", "hunter2");
	MASKS("com.acme.TokenServer start", "com.acme.TokenServer", "start");
	MASKS("TokenServer start", "TokenServer", "start");
	MASKS("Main -apiKey ***", "Main", "-apiKey", "k");
}

CASE(passwords_in_urls_are_masked)
{
	MASKS("-Durl=http://bob:***@host/x?a=b", "-Durl=http://bob:pass@host/x?a=b");
	MASKS("amqp://bob:***@host", "amqp://bob:p@ss/w:rd@host");
	MASKS("https://***@github.com/x", "https://ghp_abc@github.com/x");
	MASKS("https://host/path", "https://host/path");
	MASKS("https://host/a@b", "https://host/a@b");
}

CASE(ordinary_words_are_unchanged)
{
	MASKS("-Dkeyboard=de -Dfile.encoding=UTF-8", "-Dkeyboard=de", "-Dfile.encoding=UTF-8");
	MASKS("-Xmx1g -XX:+UseG1GC -cp a:b", "-Xmx1g", "-XX:+UseG1GC", "-cp", "a:b");
	MASKS("-agentlib:jdwp=transport=dt_socket,address=5005", "-agentlib:jdwp=transport=dt_socket,address=5005");
	MASKS("", "");
}

static void check_text(const char *text, const char *expected)
{
	char *masked = text_mask(text);

	assert_string_equal(masked, expected);
	free(masked);
}

CASE(secret_with_spaces_is_masked_up_to_the_next_option)
{
	check_text("-Dpassword=a b c -Xint", "-Dpassword=*** -Xint");
	check_text("shop.jar --token a b --port 80", "shop.jar --token *** --port 80");
	check_text("-Xint -Dx=1 2 3", "-Xint -Dx=1 2 3");
	check_text("", "");
}

CASE(words_are_split_at_zeros)
{
	static const char block[] = "a\0\0bc";
	const char **words;

	assert_int_equal(java_command_split(block, sizeof(block), &words), 3);
	assert_string_equal(words[0], "a");
	assert_string_equal(words[1], "");
	assert_string_equal(words[2], "bc");
	free(words);
	assert_int_equal(java_command_split("", 0, &words), 0);
	free(words);
}
