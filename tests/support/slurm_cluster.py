"""A private Slurm for tests: munged, slurmctld and one slurmd in namespaces of their own, with their files in a folder.

Nothing of the machine's own Slurm is read, no port of the machine is opened, and when the script that it was started for
ends, so does every process of it.
"""

import os
import shlex
import shutil
import subprocess
import tempfile

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "unshare", "ip")

CONFIGURATION = """\
ClusterName=mpg
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=1,sched_min_interval=10000
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
NodeName=one NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=one Default=YES MaxTime=INFINITE State=UP
"""

# The first process of its namespace: when it ends, the kernel ends the others.
START = """\
set -eu
ip link set lo up
ip addr add 10.0.0.1/32 dev lo # getaddrinfo knows no IPv4 where there is loopback alone
cd {folder}
at_last() {{ # command: waits until it succeeds
  for i in $(seq 300); do
    "$@" && return
    sleep 0.1
  done
  cat *.log >&2
  exit 70
}}
is_idle() {{
  sinfo -h -o %T 2>/dev/null | grep -q idle
}}
export SLURM_CONF={folder}/slurm.conf
munged --foreground --key-file={folder}/munge/key --socket={folder}/munge.socket --pid-file={folder}/munge/pid \
  --seed-file={folder}/munge/seed >munge.log 2>&1 &
at_last test -S munge.socket
slurmctld -D -f "$SLURM_CONF" >slurmctld.log 2>&1 &
slurmd -D -N one -f "$SLURM_CONF" >slurmd.log 2>&1 &
at_last is_idle
cd "$OLDPWD"
"""


def missing():
    """Why there can be no Slurm here, or None."""
    for program in PROGRAMS:
        if shutil.which(program, path=PATH) is None:
            return f"no {program}: make test-slurm installs it"
    if os.getuid() != 0:
        return "not root: slurmd starts jobs as their users, in namespaces"
    if subprocess.run(["unshare", "--net", "--pid", "--fork", "true"], stderr=subprocess.DEVNULL).returncode:
        return "no namespaces here"
    return None


class Failed(Exception):
    pass


def run(script, cwd, environment):
    """What a shell script prints to whom a Slurm of one node, `one`, answers; Failed with what it says where it fails."""
    with tempfile.TemporaryDirectory(prefix="mpg-slurm-") as folder:
        os.chmod(folder, 0o755)  # munged wants its socket to be in reach of all
        for name in ("munge", "state", "spool"):
            os.mkdir(os.path.join(folder, name), 0o700)
        with open(os.open(os.path.join(folder, "munge", "key"), os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(128))
        host = os.uname().nodename.split(".")[0]
        with open(os.path.join(folder, "slurm.conf"), "w") as file:
            file.write(CONFIGURATION.format(folder=folder, host=host, cpus=os.cpu_count()))
        done = subprocess.run(
            [
                "unshare",
                "--net",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
                "sh",
                "-c",
                START.format(folder=shlex.quote(folder)) + script,
            ],
            cwd=cwd,
            env={**environment, "PATH": PATH},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
        )
        if done.returncode:
            raise Failed(f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout
