"""What the tests of device activity share: the scripts in sql/, and activities put in by hand."""

import cases


def event(cat, name, ts, dur, pid=9, tid=9, **args):
    """A complete event of a Chrome trace, of the host unless process and thread are given."""
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def cuda_launch(ts, dur, correlation=1):
    return event("cuda_runtime", "cudaLaunchKernel", ts, dur, correlation=correlation)


def kernel(name, correlation, ts, dur, **more):
    return event("kernel", name, ts, dur, 0, 7, **{"device": 0, "stream": 7, "correlation": correlation, **more})


class Case(cases.Case):
    def load(self, path=None, *more, chip=None):
        self.script("device.sql")
        if path is not None:
            self.script("formats/kineto.sql", trace=path, chip=chip, step=None, table=None)
        for name in ("device_views.sql",) + more:
            self.script(name)

    def insert(self, **columns):
        columns = {"trace": "t", "device": "0", "class": "compute", "kind": "kernel", "name": "k", **columns}
        self.db.execute(
            "INSERT INTO device_activity (%s) VALUES (%s)" % (", ".join(columns), ", ".join("?" * len(columns))),
            tuple(columns.values()),
        )
