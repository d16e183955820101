"""What the tests of HLO share: a module of a file, and what it costs."""

import cases


class Case(cases.FolderCase):
    FILE = "module.hlo"

    def cost(self, text):
        return self.dicts("SELECT * FROM hlo_cost(?)", self.file(text))[0]

    def issues(self, path):
        return {
            kind: (count, line, detail)
            for kind, count, line, detail in self.rows(
                "SELECT kind, count, line, detail FROM mpg_issues WHERE source = ?", path
            )
        }
