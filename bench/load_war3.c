// war3-model, in a node process that waits for paths: starting it is not loading. One process stays and gets hot, as a
// server would; for the other a new one is started before each turn, as a program that opens a file has it.
#include "load_readers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct node_process {
    pid_t id;
    FILE *to, *from;
} node_process;

static node_process hot, fresh;

static void become_node(const int in[2], const int out[2])
{
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    close(out[0]);
    execlp(BENCH_NODE, "node", BENCH_WAR3_SCRIPT, (char *)NULL);
    _exit(127);
}

static bool start(node_process *node)
{
    int in[2], out[2];
    char answer[16];
    if (pipe(in) != 0 || pipe(out) != 0) return false;
    node->id = fork();
    if (node->id == 0) become_node(in, out);
    close(in[0]);
    close(out[1]);
    node->to = fdopen(in[1], "w");
    node->from = fdopen(out[0], "r");
    return node->id > 0 && node->to && node->from && fgets(answer, sizeof answer, node->from) &&
           strcmp(answer, "ready\n") == 0;
}

// It ends when it hears no more.
static void stop(node_process *node)
{
    if (node->id <= 0) return;
    if (node->to) fclose(node->to);
    if (node->from) fclose(node->from);
    waitpid(node->id, NULL, 0);
    *node = (node_process){ 0 };
}

static bool load(node_process *node, const char *path, load_counts *counts)
{
    char answer[128];
    uint64_t nodes, vertices, clips;
    fprintf(node->to, "%s\n", path);
    fflush(node->to);
    if (!fgets(answer, sizeof answer, node->from)) return false;
    if (sscanf(answer, "%" SCNu64 " %" SCNu64 " %" SCNu64, &nodes, &vertices, &clips) != 3) return false;
    if (counts) *counts = (load_counts){ nodes, vertices, clips };
    return true;
}

bool start_war3(void) { return start(&hot); }
bool load_with_hot_war3(const char *path, load_counts *counts) { return load(&hot, path, counts); }
bool load_with_war3(const char *path, load_counts *counts) { return load(&fresh, path, counts); }

bool renew_war3(void)
{
    stop(&fresh);
    return start(&fresh);
}
