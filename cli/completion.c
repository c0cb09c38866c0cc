// Completion scripts from the option table: sinew help --completion bash|zsh|fish.
#include <string.h>

#include "job.h"

static bool is_offered(int option, int verb)
{
    return cli_option_is_of((cli_option)option, (cli_verb)verb) && cli_options[option].group != CLI_HIDDEN;
}

static bool is_path(const cli_option_row *row)
{
    return strcmp(row->value, "FILE") == 0 || strcmp(row->value, "DIR") == 0;
}

// The values that an option offers; NULL: none.
static const char *values_of(const cli_option_row *row)
{
    return row->choices ? row->choices : cli_offered[row - cli_options];
}

static bool is_clip(const cli_option_row *row) { return row == &cli_options[CLI_OPTION_CLIP]; }

static void put_verb_names(cli_out *out, const char *separator)
{
    for (int i = 0; i < CLI_VERB_COUNT; i++) cli_print(out, "%s%s", i ? separator : "", cli_verbs[i].name);
}

static void bash_put_options(cli_out *out, int verb)
{
    cli_print(out, "        %s) options='", cli_verbs[verb].name);
    for (int i = 0, count = 0; i < CLI_OPTION_COUNT; i++)
        if (is_offered(i, verb)) cli_print(out, "%s--%s", count++ ? " " : "", cli_options[i].name);
    cli_print(out, "' ;;\n");
}

// Names of clips come from files: they are compared here, not by compgen, which would expand them. Files are left to
// the shell.
static void bash_put_values(cli_out *out)
{
    cli_print(out, "    case $prev in\n");
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const cli_option_row *row = &cli_options[i];
        if (!row->value || row->group == CLI_HIDDEN) continue;
        cli_print(out, "        --%s", row->name);
        if (row->letter) cli_print(out, "|-%c", row->letter);
        if (is_path(row)) cli_print(out, ") return ;;\n");
        else if (is_clip(row)) cli_print(out, ") compopt +o default; _sinew_clips; return ;;\n");
        else if (values_of(row))
            cli_print(out,
                      ") compopt +o default\n"
                      "            mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\"); return ;;\n",
                      values_of(row));
        else cli_print(out, ") compopt +o default; return ;;\n");
    }
    cli_print(out, "    esac\n");
}

static void bash_print(cli_out *out)
{
    cli_print(out, "# bash completion for sinew\n"
                   "_sinew_clips() {\n"
                   "    local word name files=()\n"
                   "    for word in \"${COMP_WORDS[@]:1}\"; do [[ ! -f $word ]] || files+=(\"$word\"); done\n"
                   "    [[ ${#files[@]} -gt 0 ]] || return\n"
                   "    while IFS= read -r name; do\n"
                   "        [[ ${name,,} != \"${cur,,}\"* ]] || COMPREPLY+=(\"$(printf %%q \"$name\")\")\n"
                   "    done < <(\"${COMP_WORDS[0]}\" info --list-clips -- \"${files[@]}\" 2>/dev/null)\n"
                   "}\n"
                   "_sinew() {\n"
                   "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                   "    local word verb='' options='--help --version' verbs='");
    put_verb_names(out, " ");
    cli_print(out, "'\n    COMPREPLY=()\n");
    bash_put_values(out);
    cli_print(out, "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                   "        case $word in ");
    put_verb_names(out, "|");
    cli_print(out, ") verb=$word; break ;; esac\n    done\n    case $verb in\n");
    for (int i = 0; i < CLI_VERB_COUNT; i++) bash_put_options(out, i);
    cli_print(out, "    esac\n"
                   "    if [[ $cur == -* ]]; then\n"
                   "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
                   "    elif [[ -z $verb || $verb == help ]]; then\n"
                   "        mapfile -t COMPREPLY < <(compgen -W \"$verbs\" -- \"$cur\")\n"
                   "    fi\n"
                   "}\n"
                   "complete -o default -F _sinew sinew\n");
}

static void zsh_put_option(cli_out *out, const cli_option_row *row)
{
    const char *name = row->name;
    cli_print(out, "                ");
    if (row->letter) cli_print(out, "'(-%c --%s)'{-%c,--%s}'", row->letter, name, row->letter, name);
    else cli_print(out, "'--%s", name);
    cli_print(out, "[%s]", row->summary);
    if (row->value && values_of(row)) cli_print(out, ":%s:(%s)", row->value, values_of(row));
    else if (row->value)
        cli_print(out, ":%s:%s", row->value, is_path(row) ? "_files" : is_clip(row) ? "_sinew_clips" : " ");
    cli_print(out, "' \\\n");
}

static void zsh_put_verb(cli_out *out, int verb)
{
    cli_print(out, "            %s) _arguments -s \\\n", cli_verbs[verb].name);
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (is_offered(i, verb)) zsh_put_option(out, &cli_options[i]);
    if (verb != CLI_HELP) {
        cli_print(out, "                '*:file:_files' ;;\n");
        return;
    }
    cli_print(out, "                '1:command:(");
    put_verb_names(out, " ");
    cli_print(out, ")' ;;\n");
}

static void zsh_print(cli_out *out)
{
    cli_print(out, "#compdef sinew\n"
                   "_sinew_clips() {\n"
                   "    local word\n"
                   "    local -a files clips\n"
                   "    for word in $words; do [[ ! -f ${(Q)word} ]] || files+=(${(Q)word}); done\n"
                   "    (( $#files )) && clips=(${(f)\"$(sinew info --list-clips -- $files 2>/dev/null)\"})\n"
                   "    compadd -M 'm:{a-zA-Z}={A-Za-z}' -a clips\n"
                   "}\n"
                   "_sinew() {\n"
                   "    local curcontext=$curcontext state line\n"
                   "    local -a commands\n"
                   "    commands=(\n");
    for (int i = 0; i < CLI_VERB_COUNT; i++)
        cli_print(out, "        '%s:%s'\n", cli_verbs[i].name, cli_verbs[i].summary);
    cli_print(out, "    )\n"
                   "    _arguments -C '(- *)'{-h,--help}'[explain]' '(- *)'{-V,--version}'[print the version]' \\\n"
                   "        '1:command:->command' '*::argument:->argument'\n"
                   "    case $state in\n"
                   "        command) _describe -t commands command commands; _files ;;\n"
                   "        argument) case $line[1] in\n");
    for (int i = 0; i < CLI_VERB_COUNT; i++) zsh_put_verb(out, i);
    cli_print(out, "            *) _files ;;\n"
                   "        esac ;;\n"
                   "    esac\n"
                   "}\n"
                   "if [ \"$funcstack[1]\" = _sinew ]; then _sinew \"$@\"; else compdef _sinew sinew; fi\n");
}

static void fish_put_option(cli_out *out, const cli_option_row *row)
{
    cli_print(out, "complete -c sinew -n '__fish_seen_subcommand_from");
    for (int i = 0; i < CLI_VERB_COUNT; i++)
        if (row->verbs >> i & 1u) cli_print(out, " %s", cli_verbs[i].name);
    cli_print(out, "' -l %s", row->name);
    if (row->letter) cli_print(out, " -s %c", row->letter);
    if (row->value) cli_print(out, is_path(row) ? " -r -F" : " -x");
    if (row->value && is_clip(row)) cli_print(out, " -a '(__sinew_clips)'");
    else if (row->value && values_of(row)) cli_print(out, " -a '%s'", values_of(row));
    cli_print(out, " -d '%s'\n", row->summary);
}

static void fish_print(cli_out *out)
{
    cli_print(out, "# fish completion for sinew\n"
                   "function __sinew_clips\n"
                   "    set -l files\n"
                   "    for word in (commandline -opc)\n"
                   "        test -f $word; and set -a files $word\n"
                   "    end\n"
                   "    test -n \"$files\"; and sinew info --list-clips -- $files 2>/dev/null\n"
                   "end\n");
    for (int i = 0; i < CLI_VERB_COUNT; i++)
        cli_print(out, "complete -c sinew -n __fish_use_subcommand -a %s -d '%s'\n", cli_verbs[i].name,
                  cli_verbs[i].summary);
    cli_print(out, "complete -c sinew -n __fish_use_subcommand -s h -l help -d 'explain'\n"
                   "complete -c sinew -n __fish_use_subcommand -s V -l version -d 'print the version'\n"
                   "complete -c sinew -f -n '__fish_seen_subcommand_from help' -a '");
    put_verb_names(out, " ");
    cli_print(out, "'\n");
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_options[i].group != CLI_HIDDEN) fish_put_option(out, &cli_options[i]);
}

void cli_print_completion(cli_out *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0) bash_print(out);
    else if (strcmp(shell, "zsh") == 0) zsh_print(out);
    else fish_print(out);
}
