// run_limited SECONDS MEGABYTES COMMAND...: fails with 99 and a line on stderr when the command takes more processor
// time or memory, or is ended by a signal. Otherwise its own exit code.
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OVER = 99 };

static double seconds_of(struct timeval time) { return (double)time.tv_sec + 1e-6 * (double)time.tv_usec; }

int main(int count, char **words)
{
    if (count < 4) return OVER;
    double most_seconds = atof(words[1]), most_megabytes = atof(words[2]);
    pid_t child = fork();
    if (child == 0) {
        // Ends a command that never would.
        rlim_t hard = (rlim_t)most_seconds * 4 + 1;
        setrlimit(RLIMIT_CPU, &(struct rlimit){ hard, hard });
        execvp(words[3], words + 3);
        _exit(OVER);
    }
    int status = 0;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) != child) return OVER;
    double seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime), megabytes = (double)used.ru_maxrss / 1024;
    if (!WIFEXITED(status)) fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
    if (seconds > most_seconds) fprintf(stderr, "took %.2f s, the limit is %.2f\n", seconds, most_seconds);
    if (megabytes > most_megabytes) fprintf(stderr, "took %.0f MB, the limit is %.0f\n", megabytes, most_megabytes);
    if (!WIFEXITED(status) || seconds > most_seconds || megabytes > most_megabytes) return OVER;
    return WEXITSTATUS(status);
}
