// SPDX-License-Identifier: BSD-2-Clause
/* Which capability is named when something is not permitted, in this process with and without capabilities. */
#include "tests/lib/test.h"
#include "user/process/rights.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* CapEff of /proc/self/status */
static unsigned long long effective(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long set = 0;
	char line[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "CapEff: %llx", &set);
	fclose(f);
	return set;
}

static struct target self(void)
{
	return (struct target){.pid = getpid(), .uid = geteuid(), .gid = getegid()};
}

/* Keep only these, of those that we have. */
static void keep_capabilities(unsigned long long set)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{.effective = set, .permitted = ~0u},
						 {.effective = set >> 32, .permitted = ~0u}};
	struct __user_cap_data_struct now[2];

	assert_int_equal(syscall(SYS_capget, &header, now), 0);
	for (int i = 0; i < 2; i++) {
		data[i].permitted = now[i].permitted;
		data[i].effective &= now[i].permitted;
	}
	assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

/* What another process sees after a drop from `held`; 0 if we are not root. */
static uint64_t kept_of(uint64_t held, struct rights_later later)
{
	uint64_t kept = 0;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		struct target t = self();

		keep_capabilities(held);
		rights_drop(&t, later);
		kept = effective();
		if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
			kept = ~0ull;
		_exit(write(ends[1], &kept, sizeof(kept)) != sizeof(kept));
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &kept, sizeof(kept)), sizeof(kept));
	close(ends[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return kept;
}

/* It comes first, because the cases behind it take rights from this process. */
CASE(what_is_needed_no_more_is_dropped)
{
	const uint64_t look = 1ull << CAP_SYS_PTRACE, files = 1ull << CAP_CHECKPOINT_RESTORE;
	const uint64_t pod = look | 1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_SETUID | 1ull << CAP_SETGID |
			     1ull << CAP_DAC_READ_SEARCH;
	uint64_t all = effective();

	if (!(all >> CAP_SYS_ADMIN & 1) || !(all >> CAP_CHECKPOINT_RESTORE & 1))
		skip(); /* not root */
	assert_int_equal(kept_of(pod, (struct rights_later){0}), look);
	assert_int_equal(kept_of(pod, (struct rights_later){.attach = true}),
			 look | 1ull << CAP_SETUID | 1ull << CAP_SETGID | 1ull << CAP_DAC_READ_SEARCH);
	assert_int_equal(kept_of(look | 1ull << CAP_KILL, (struct rights_later){.signal = true}),
			 look | 1ull << CAP_KILL);
	assert_int_equal(kept_of(look | 1ull << CAP_PERFMON, (struct rights_later){.probe = true}),
			 look | 1ull << CAP_PERFMON);
	assert_int_equal(kept_of(look | 1ull << CAP_SYS_ADMIN, (struct rights_later){.probe = true}),
			 look | 1ull << CAP_SYS_ADMIN);
	assert_int_equal(kept_of(look | files, (struct rights_later){0}), look | files);
	assert_int_equal(kept_of(look | 1ull << CAP_SYS_ADMIN | 1ull << CAP_NET_ADMIN, (struct rights_later){0}), look);
	/* the process to look into is this one, whose permitted set has all */
	assert_int_equal(kept_of(1ull << CAP_SYS_ADMIN | 1ull << CAP_NET_ADMIN, (struct rights_later){0}),
			 1ull << CAP_SYS_ADMIN | 1ull << CAP_NET_ADMIN);
}

CASE(rights_held_are_those_of_the_effective_set)
{
	static const int numbers[] = {CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_SETGID, CAP_SETUID};

	for (int r = RIGHT_UPROBES; r <= RIGHT_USER; r++)
		assert_int_equal(right_held(r), effective() >> numbers[r - RIGHT_UPROBES] & 1);
}

static void drop_capabilities(void)
{
	keep_capabilities(0);
	assert_int_equal(effective(), 0);
}

CASE(admin_may_all_that_bpf_and_perfmon_may)
{
	keep_capabilities(1ull << CAP_SYS_ADMIN);
	if (!effective())
		skip(); /* not root */
	assert_true(right_held(RIGHT_BPF) && right_held(RIGHT_PERFMON));
	assert_true(right_held(RIGHT_UPROBES));
	keep_capabilities(1ull << CAP_BPF);
	assert_true(right_held(RIGHT_BPF) && !right_held(RIGHT_PERFMON) && !right_held(RIGHT_UPROBES));
	keep_capabilities(1ull << CAP_PERFMON);
	assert_true(!right_held(RIGHT_BPF) && right_held(RIGHT_PERFMON) && !right_held(RIGHT_UPROBES));
}

CASE(missing_right_is_named_other_errors_are_not_blamed_on_it)
{
	char why[RIGHT_TEXT];

	drop_capabilities();
	rights_held_are_those_of_the_effective_set(state);
	assert_string_equal(right_why(RIGHT_LOOK, EACCES, why), "CAP_SYS_PTRACE is missing");
	assert_string_equal(right_why(RIGHT_GROUP, EPERM, why), "CAP_SETGID is missing");
	assert_string_equal(right_why(RIGHT_DESCRIPTORS, ENOENT, why), strerror(ENOENT));
}

CASE(all_missing_rights_are_listed)
{
	struct target t = self();
	struct diag d = {0};

	drop_capabilities();
	assert_int_equal(rights_check(&t, false, true, &d), -EPERM);
	assert_contains(d.text, "rights are missing: CAP_BPF (BPF programs), CAP_PERFMON (attaching them): ");
	assert_contains(d.text, geteuid() ? ": run with sudo" : ": give frtrace the capability");
	t.uid++; /* attaching to it needs another user */
	assert_int_equal(rights_check(&t, false, true, &d), -EPERM);
	assert_contains(d.text, ", CAP_SETUID (attaching as the JVM's user): ");
	assert_lacks(d.text, "CAP_SYS_PTRACE");
	assert_int_equal(rights_check(&t, false, false, &d), -EPERM); /* without an agent nothing attaches */
	assert_contains(d.text, "CAP_PERFMON (attaching them): ");
	assert_lacks(d.text, "CAP_SETUID");
}

CASE(uprobes_by_perf_events_need_admin)
{
	struct target t = self();
	struct diag d = {0};

	keep_capabilities(1ull << CAP_BPF | 1ull << CAP_PERFMON);
	if (!effective())
		skip(); /* not root */
	assert_int_equal(rights_check(&t, false, true, &d), 0);
	assert_int_equal(rights_check(&t, true, true, &d), -EPERM);
	assert_contains(d.text, "rights are missing: CAP_SYS_ADMIN (uprobes by perf events): ");
}

CASE(a_jvm_of_another_user_takes_more_rights)
{
	struct target root = {0}, user = {.uid = 1000, .gid = 1000}, group = {.gid = 1000};

	for (enum right r = RIGHT_BPF; r < RIGHTS; r++) {
		bool same = r < RIGHT_UPROBES || r == RIGHT_LOOK;
		bool other = r == RIGHT_DESCRIPTORS || r == RIGHT_GROUP || r == RIGHT_USER;

		assert_int_equal(right_needed_beside(r, &root, false), same);
		assert_int_equal(right_needed_beside(r, &user, false), same || other);
		assert_int_equal(right_needed_beside(r, NULL, false), same || other);
		assert_int_equal(right_needed_beside(r, &group, false), same || r == RIGHT_GROUP);
		assert_int_equal(right_needed_beside(r, &root, true), r == RIGHT_UPROBES || r == RIGHT_LOOK);
	}
}
