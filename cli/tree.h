// What a tree of nodes is drawn from: who is whose child, and what hangs where.
#ifndef CLI_TREE_H
#define CLI_TREE_H

#include "job.h"
#include "elements.h"

typedef struct cli_tree {
    cli_chains children, parts, cameras, lights, scenes;  // by node; scenes: places in scene_of
    int32_t *scene_of;                                    // one per root listed by any scene
} cli_tree;

bool cli_tree_make(cli_tree *tree, cli_job *job);  // false when memory ran out
void cli_tree_json(cli_job *job, const cli_tree *tree);

// What a node is for by its format's conventions, or what kind of thing: "role" or "kind" of its extras. NULL: nothing
// said.
const char *cli_role(cli_job *job, const sn_node *node);

// Names of the flags that are set, one by one: start with *from = 0. NULL after the last.
const char *cli_next_flag(uint32_t flags, uint32_t *from);

#endif
