#!/usr/bin/env bash
# packaging/kubernetes: test_kubernetes.sh TOOL SAMPLES. The manifest against the schema of the Kubernetes API (npm's
# kubernetes-models); then the container's own command, once for each index, without a cluster.
# shellcheck source-path=SCRIPTDIR source=../cli/harness.sh
. "$(dirname "$0")/../cli/harness.sh"
manifest=$(realpath "$here/../../packaging/kubernetes/job.yaml")

# Prints the number of completions and, a NUL behind each, the words of the command.
read_manifest()
{
    (cd "$here" && node --input-type=module -e '
        import { readFileSync } from "fs";
        import { parse } from "yaml";
        import { Job } from "kubernetes-models/batch/v1";
        const job = parse(readFileSync(process.argv[1], "utf8"));
        new Job(job).validate();
        const { spec } = job, [container] = spec.template.spec.containers;
        if (job.kind !== "Job" || job.apiVersion !== "batch/v1" || spec.completionMode !== "Indexed") throw Error("not an Indexed Job");
        process.stdout.write([spec.completions, ...container.command, ...container.args].join("\0") + "\0");' "$1")
}

test_manifest()
{
    holds 'the manifest fits the schema' read_manifest "$manifest" >words
    sed 's/completions: 16/completions: many/' "$manifest" >wrong.yaml
    if read_manifest "$work/wrong.yaml" >/dev/null 2>&1; then fail 'the check of the schema can fail'; else pass; fi
    sed 's/Indexed/NonIndexed/' "$manifest" >wrong.yaml
    if read_manifest "$work/wrong.yaml" >/dev/null 2>&1; then fail 'the check of the mode can fail'; else pass; fi
}

test_command()
{
    mapfile -d '' words <words
    completions=${words[0]}
    mkdir -p bin models/in models/reports
    ln -s "$tool" bin/sinew
    cp "$samples"/*.* models/in
    (cd models && PATH=$work/bin:$PATH sinew convert in -o one --report one.json -q)
    command=("${words[@]:1}")
    command=("${command[@]//\/models/$work/models}")    # where the volume is mounted
    for ((index = 0; index < completions; index++)); do
        JOB_COMPLETION_INDEX=$index PATH=$work/bin:$PATH "${command[@]}" >/dev/null 2>err
        same "index $index" $? 0
    done
    holds 'the outputs are those of one run' diff -r models/one models/out
    run report merge all.json models/reports/[0-9]*.json
    same 'the merged report is complete' "$code:$(grep -c '"in":' all.json)" "0:$(grep -c '"in":' models/one.json)"
}

test_manifest
test_command
finish
