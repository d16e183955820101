"""A private ClickHouse server for tests, on a free port of loopback, with its files in a folder of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

CONFIGURATION = """\
<yandex>
  <logger><level>error</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <tcp_port>{tcp}</tcp_port><http_port>{http}</http_port>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
  <mark_cache_size>67108864</mark_cache_size>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
</yandex>
"""
USERS = """\
<yandex>
  <profiles><default/></profiles><quotas><default/></quotas>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>
"""
PATH = os.environ["PATH"] + ":/usr/sbin"


def missing():
    """Why there can be no server here, or None."""
    for program in ("clickhouse-server", "clickhouse-client"):
        if shutil.which(program, path=PATH) is None:
            return f"no {program}"
    return None


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Failed(Exception):
    pass


class Server:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="mpg-clickhouse-")
        self.port, http = free_ports(2)
        for name, text in (("config.xml", CONFIGURATION), ("users.xml", USERS)):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text.format(folder=self.folder, tcp=self.port, http=http))
        with open(os.path.join(self.folder, "log"), "w") as log:
            self.process = subprocess.Popen(
                [shutil.which("clickhouse-server", path=PATH), f"--config-file={self.folder}/config.xml"],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        for _ in range(300):
            try:
                self.version = self.sql("SELECT version()").strip()
                return
            except Failed as error:
                why = str(error)
            time.sleep(0.1)
        self.stop()
        raise Failed(why)

    def sql(self, text, data=None, settings=()):
        """What clickhouse-client prints, in TSV; `data` (bytes, or a file) is a statement's input."""
        done = subprocess.run(
            ["clickhouse-client", "--host=127.0.0.1", f"--port={self.port}", *settings, "--query", text],
            **({"input": data or b""} if data is None or isinstance(data, bytes) else {"stdin": data}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if done.returncode:
            raise Failed(done.stderr.decode(errors="replace").strip())
        return done.stdout.decode()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
