// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/java_command.h"
#include "user/process/proc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Launcher options that take the next word as their value. */
static const char *const options_with_value[] = {"-cp",
						 "-classpath",
						 "--class-path",
						 "-p",
						 "--module-path",
						 "--upgrade-module-path",
						 "--add-modules",
						 "--limit-modules",
						 "--add-exports",
						 "--add-opens",
						 "--add-reads",
						 "--patch-module",
						 "--enable-native-access",
						 "--illegal-native-access",
						 "--enable-final-field-mutation",
						 "--illegal-final-field-mutation",
						 "--source",
						 "-d",
						 "--describe-module",
						 "--finalization",
						 NULL};

static bool takes_value(const char *word)
{
	for (const char *const *o = options_with_value; *o; o++)
		if (strcmp(word, *o) == 0)
			return true;
	return false;
}

/* By the properties that the scripts of Tomcat, Jetty and WildFly give to each server. NULL: the option is none of them. */
static const char *server_directory(const char *option)
{
	static const char *const properties[] = {"-Dcatalina.base=", "-Djetty.base=", "-Djboss.server.base.dir="};

	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (strncmp(option, properties[i], strlen(properties[i])) == 0)
			return option + strlen(properties[i]);
	return NULL;
}

void java_command_parse(int argc, const char *const *argv, struct java_command *out)
{
	int i;

	*out = (struct java_command){.main_at = argc};
	for (i = 1; i < argc; i++) {
		const char *word = argv[i];

		out->instance = server_directory(word) ?: out->instance;
		if (word[0] == '@')
			out->has_files = true;
		else if (strcmp(word, "-jar") == 0)
			out->jar = true;
		else if (strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0)
			out->module = true;
		else if (strncmp(word, "--module=", 9) == 0)
			out->module = true;
		else if (takes_value(word))
			i++;
		if (strncmp(word, "--module=", 9) == 0 || (word[0] != '-' && word[0] != '@'))
			break;
	}
	/* an argument file may contain the main class or "-jar": only the JVM itself knows */
	if (i >= argc || out->has_files)
		return;
	out->main_at = i;
	out->main = strncmp(argv[i], "--module=", 9) ? argv[i] : argv[i] + 9;
}

void java_command_name(const char *main, char *out, size_t size)
{
	const char *slash = strrchr(main, '/');

	snprintf(out, size, "%s", slash && slash[1] ? slash + 1 : main);
	for (char *c = out; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
}

int java_command_split(const char *block, size_t length, const char ***words)
{
	int count = 0, i = 0;

	for (size_t at = 0; at < length; at += strlen(block + at) + 1)
		count++;
	*words = calloc(count + 1, sizeof(**words));
	if (!*words)
		return 0;
	for (size_t at = 0; at < length && i < count; at += strlen(block + at) + 1)
		(*words)[i++] = block + at;
	return count;
}

int jvm_flag_set(const char *text, const char *flag)
{
	size_t length = strlen(flag);
	int set = -1;

	for (const char *at = text; (at = strstr(at, "-XX:")); at += 4) {
		char sign = at[4], end;

		if ((sign != '+' && sign != '-') || strncmp(at + 5, flag, length))
			continue;
		end = at[5 + length];
		if (!end || isspace((unsigned char)end) || end == '"' || end == '\'')
			set = sign == '+';
	}
	return set;
}

/*
 * Names of secrets. A name is split at each change of case and at each character that is neither letter nor digit:
 * "apiKey", "api-key" and "API_KEY" have a part "key", "keyboard" has not. Some parts count anywhere in a name.
 */
static const char *const telling_anywhere[] = {"passw",	 "secret",	  "token",  "credential", "passphrase",
					       "apikey", "authorization", "bearer", NULL};
static const char *const telling_endings[] = {"key", "keys", "pwd", "pass", "cred", "creds", NULL};

static bool java_command_ends_with(const char *part, size_t length, const char *ending)
{
	size_t n = strlen(ending);

	return length >= n && strncasecmp(part + length - n, ending, n) == 0;
}

static bool part_tells(const char *part, size_t length)
{
	for (const char *const *e = telling_endings; *e; e++)
		if (java_command_ends_with(part, length, *e))
			return true;
	return false;
}

/* True if another part begins at `c`: "apiKey", "SSLKey". */
static bool part_begins(const char *name, const char *c, const char *end)
{
	if (c == name || !isupper((unsigned char)*c))
		return false;
	return !isupper((unsigned char)c[-1]) || (c + 1 < end && islower((unsigned char)c[1]));
}

static bool java_command_contains(const char *name, size_t length, const char *what)
{
	size_t n = strlen(what);

	for (size_t i = 0; i + n <= length; i++)
		if (strncasecmp(name + i, what, n) == 0)
			return true;
	return false;
}

static bool name_tells(const char *name, size_t length)
{
	const char *end = name + length, *part = name, *c;

	for (const char *const *t = telling_anywhere; *t; t++)
		if (java_command_contains(name, length, *t))
			return true;
	for (c = name; c < end; c++) {
		if (isalnum((unsigned char)*c) && !part_begins(name, c, end))
			continue;
		if (part_tells(part, c - part))
			return true;
		part = isalnum((unsigned char)*c) ? c : c + 1;
	}
	return part < end && part_tells(part, end - part);
}

/* Characters of a name before '=' or ':'; quotes for the JSON that Spring accepts. */
static bool in_name(char c)
{
	return isalnum((unsigned char)c) || strchr("._-\"'[]", c);
}

/* The beginning of a secret value in a word: after the first '=' or ':' whose name indicates a secret. NULL: none. */
static const char *secret_value(const char *word)
{
	const char *name = word;

	for (const char *c = word; *c; c++) {
		if ((*c == '=' || *c == ':') && c > name && name_tells(name, c - name) && strncmp(c, "://", 3))
			return c + 1;
		if (!in_name(*c))
			name = c + 1;
	}
	return NULL;
}

/* "--password" with its value in the next word, or just "password". */
static bool announces_secret(const char *word)
{
	size_t length = strlen(word);

	if (strpbrk(word, "=:/ ") || length > 64)
		return false;
	if (word[0] == '-')
		return name_tells(word, length);
	return name_tells(word, length) && !strchr(word, '.');
}

/* The user part of a URL: the secret is [*from, *to), and *to is an '@'. */
static bool find_userinfo(const char *word, const char **from, const char **to)
{
	const char *url = strstr(word, "://"), *colon, *slash;

	if (!url || !(*to = strrchr(url, '@')))
		return false;
	url += 3;
	slash = url + strcspn(url, "/?#");
	colon = memchr(url, ':', *to - url);
	if (!colon && slash < *to)
		return false;
	*from = colon ? colon + 1 : url;
	return true;
}

static void mask_word(FILE *out, const char *word)
{
	const char *value = secret_value(word), *from, *to;
	bool user = find_userinfo(word, &from, &to);

	if (value && (!user || value <= from))
		fprintf(out, "%.*s***", (int)(value - word), word);
	else if (user && value && value > to)
		fprintf(out, "%.*s***%.*s***", (int)(from - word), word, (int)(value - to), to);
	else if (user)
		fprintf(out, "%.*s***%s", (int)(from - word), word, value ? "" : to);
	else
		fputs(word, out);
}

/* `loose`: the words were split at spaces that may belong to a value. */
static char *mask(int count, const char *const *words, bool loose)
{
	bool hidden = false, announced = false;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < count; i++) {
		const char *word = words[i];

		hidden = hidden && loose && word[0] != '-';
		if (hidden)
			continue;
		fputs(i ? " " : "", out);
		if (announced && word[0] != '-') {
			fputs("***", out);
			hidden = loose;
			announced = false;
			continue;
		}
		mask_word(out, word);
		hidden = secret_value(word);
		announced = (i || word[0] == '-') && announces_secret(word);
	}
	return fclose(out) ? free(text), NULL : text;
}

char *java_command_mask(int count, const char *const *words)
{
	return mask(count, words, false);
}

char *text_mask(const char *text)
{
	char *copy = strdup(text), *masked = NULL;
	const char **words = NULL;
	size_t length = strlen(text);
	int count;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < length; i++)
		if (isspace((unsigned char)copy[i]))
			copy[i] = 0;
	count = java_command_split(copy, length, &words);
	if (words)
		masked = mask(count, words, true);
	free(words);
	free(copy);
	return masked;
}
