"""What the tests of device activity share: the scripts in sql/, and activities put in by hand."""

import cases


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
