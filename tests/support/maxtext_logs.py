"""maxtext_logs.py - lines of MaxText without a clock."""

from training import Case


class MaxTextLogs(Case):
    def log(
        self,
        *events,
        head="Config param steps: 40\nTFRT TPU v5p\nNum_devices: 8, shape (8,)\n",
        prefix="I0302 09:{:02.0f}:{:09.6f} 1401 x.py:1] ",
    ):
        self.listed = self.file(head + "".join(prefix.format(s // 60, s % 60) + text + "\n" for s, text in events))
        return self.listed

    STEP = "completed step: {}, seconds: {:.3f}, TFLOP/s/device: {:.3f}, Tokens/s/device: 1.0, total_weights: 65536, loss: 9.5"

    def kinds(self):
        return [
            tuple(row)
            for row in self.rows(
                "SELECT kind, count FROM mpg_issues "
                "WHERE kind IN ('missing_field', 'no_steps') AND source = ? ORDER BY 1",
                self.listed,
            )
        ]
