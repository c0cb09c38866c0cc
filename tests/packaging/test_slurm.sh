#!/usr/bin/env bash
# packaging/slurm on a cluster of one machine: test_slurm.sh TOOL SAMPLES. munged, slurmctld and slurmd run on loopback ports in a
# folder of their own and end with the test. 800 models in 4 tasks; one task is killed, requeued, and goes on. Prints a transcript.
# shellcheck source-path=SCRIPTDIR source=../cli/harness.sh
. "$(dirname "$0")/../cli/harness.sh"
slurm=$(realpath "$here/../../packaging/slurm")
PATH=$PATH:/usr/sbin
ports=$((20000 + $$ % 20000)) daemons=()
stop_daemons()
{
    local id i
    for id in "${daemons[@]}"; do kill "$id" 2>/dev/null; done
    for ((i = 0; i < 50; i++)); do
        for id in "${daemons[@]}"; do kill -0 "$id" 2>/dev/null && break; done || break
        sleep 0.1
    done
    for id in "${daemons[@]}"; do kill -KILL "$id" 2>/dev/null; done
    rm -rf "$work"
}
trap '[ $BASHPID != $$ ] || stop_daemons' EXIT

start_cluster()
{
    host=$(hostname -s) user=$(id -un)
    chmod 755 "$work"
    mkdir -p munge state spool bin
    chmod 700 munge
    ln -s "$tool" bin/sinew
    head -c 1024 /dev/urandom >munge/key
    chmod 400 munge/key
    munged --foreground --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
        --log-file="$work/munge/log" --seed-file="$work/munge/seed" >munged.log 2>&1 &
    daemons+=($!)
    cat >slurm.conf <<END
ClusterName=sinew
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$ports
SlurmdPort=$((ports + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/state/slurmctld.pid
SlurmdPidFile=$work/spool/slurmd.pid
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
KillWait=2
MinJobAge=300
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
    export SLURM_CONF=$work/slurm.conf
    for ((i = 0; i < 50; i++)); do [ -S munge/socket ] && break; sleep 0.1; done
    slurmctld -D -c >slurmctld.log 2>&1 &
    daemons+=($!)
    slurmd -D -N "$host" >slurmd.log 2>&1 &
    daemons+=($!)
    for ((i = 0; i < 150; i++)); do sinfo -h -o %T 2>/dev/null | grep -qE 'idle|mixed' && return 0; sleep 0.2; done
    tail -n 20 munged.log slurmctld.log slurmd.log
    return 1
}

show() { printf '$ %s\n' "$*"; "$@"; }
state() { squeue -h -r -t all -j "$1" -o '%K %T' 2>/dev/null | LC_ALL=C sort -n | tr '\n' ' '; }
# await SECONDS COMMAND...
await()
{
    local tries=$(($1 * 20))
    shift
    for ((; tries > 0; tries--)); do if "$@"; then return 0; fi; sleep 0.05; done
    return 1
}
has_some() { grep -q '"status": "converted"' "$1" 2>/dev/null; }
is_over() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
has_left() { grep -q '"status": "not_started"' "$1" 2>/dev/null; }
# The tool itself, not the script around it.
task_process() { pgrep -x -f "sinew convert in -o out .* --report $work/reports/2\.json .*" | head -n 1; }

# It reports every quarter of a second, in which a fast machine is done: so it runs for moments, with pauses between them.
stop_task()
{
    local tries
    for ((tries = 0; tries < 3000; tries++)); do
        process=$(task_process)
        if [ -n "$process" ] && kill -STOP "$process" 2>/dev/null; then
            if has_some reports/2.json && has_left reports/2.json; then return 0; fi
            sleep 0.3
            kill -CONT "$process"
        fi
        sleep 0.02
    done
    return 1
}

test_array()
{
    mkdir in
    for n in $(seq 800); do cp "$samples/hound.mdx" "in/hound$n.mdx"; done
    cp "$samples"/*.blp in/
    cp "$samples"/soldier* in/
    "$tool" convert in -o one --report one.json -q
    export PATH=$work/bin:$PATH
    printf '$ packaging/slurm/submit in out reports 4\n'
    mapfile -t jobs < <("$slurm/submit" in out "$work/reports" 4)
    printf '%s\n' "${jobs[@]}"
    array=${jobs[0]} merge=${jobs[1]}
    same 'two jobs' "${#jobs[@]}" 2
    holds 'task 2 is stopped after a report, before its end' stop_task
    show squeue -r -o '%.8i %.14j %.10T %.12r'
    before=$(grep -c '"status": "converted"' reports/2.json)
    printf '$ kill -KILL PROCESS_OF_TASK_2    # %d of its models were reported\n' "$before"
    kill -KILL "$process"
    cp reports/2.json killed.json
    holds 'some are left' has_left killed.json
    sleep 1
    show squeue -r -o '%.8i %.14j %.10T %.12r'
    holds 'all tasks end' await 120 is_over "$array"
    holds 'the merge job ends' await 60 is_over "$merge"
    show cat reports/2.log reports/merge.log
    restarts=$(scontrol show job "${array}_2" | grep -o 'Restarts=[0-9]*')
    printf '$ scontrol show job %s_2 | grep -o "Restarts=[0-9]*"\n%s\n' "$array" "$restarts"
    same 'task 2 was requeued once' "$restarts" Restarts=1
    same 'all tasks and the merge succeed' "$(scontrol show job "$array" | grep -c 'JobState=COMPLETED')$(scontrol show job "$merge" | grep -c 'JobState=COMPLETED')" 41
    holds 'the outputs are those of one run' diff -r one out
    same 'the merged report is complete' "$(grep -c '"in":' reports/all.json)" "$(grep -c '"in":' one.json)"
    same 'the same list' "$(grep '"list_hash"' reports/all.json)" "$(grep '"list_hash"' one.json)"
    holds "it went on: $before were made before" [ "$(grep -c '"status": "skipped"' reports/2.json)" -ge "$before" ]
    same 'nothing is left beside' "$(find out reports -name '.*' ! -path out ! -path reports | wc -l)" 0
}

# Of an array that is submitted with a part of its tasks only nobody knows how many shards there are.
test_broken_array()
{
    mkdir broken
    INPUT=in OUTPUT=broken_out REPORTS=broken SHARDS=4 job=$(INPUT=in OUTPUT=broken_out REPORTS=broken SHARDS=4 \
        sbatch --parsable --array=1,3 --output=broken/%a.log "$slurm/convert.sbatch")
    holds 'a broken array ends' await 60 is_over "$job"
    says 'a broken array is refused' "$(cat broken/3.log)" "'--shard auto' needs a Slurm array without gaps"
    holds 'and writes nothing' [ ! -e broken_out ]
}

if start_cluster; then
    test_array
    test_broken_array
else
    fail 'the cluster does not start'
fi
finish
