// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/launch_link.h"

static int connection = -1;
static char text[64];

bool launch_link_connect(const char *path, unsigned int seconds)
{
	connection = sys_connect(path, seconds);
	return launch_link_is_open();
}

bool launch_link_is_open(void)
{
	return connection >= 0;
}

const char *launch_link_command(unsigned int ms)
{
	long length;

	if (!launch_link_is_open())
		return NULL;
	length = sys_receive(connection, text, sizeof(text) - 1, ms);
	if (length > 0) {
		text[length] = 0;
		return text;
	}
	if (length != SYS_NOTHING_YET)
		launch_link_close();
	return NULL;
}

void launch_link_answer(int result)
{
	if (launch_link_is_open() && !sys_send(connection, &result, sizeof(result)))
		launch_link_close();
}

void launch_link_close(void)
{
	int fd = __atomic_exchange_n(&connection, -1, __ATOMIC_ACQ_REL);

	if (fd >= 0)
		sys_close(fd);
}
