"""Numbers in logs of trainers: with commas between their thousands, and cut off where a terminal or a collector wrapped a line."""

import datetime
import unittest

from trainer_case import T0, TrainerLogs


def clock(seconds):
    return datetime.datetime.fromtimestamp(T0 + seconds, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def megatron(seconds, clocks=True):
    for i in range(1, 11):
        yield (
            f" [{clock(i * 2000)}] iteration {i:8d}/ 100 | consumed samples: {i * 256:12d} | elapsed time per iteration (ms): {seconds}000.0 |"
            " throughput per GPU (TFLOP/s/GPU): 1,400.0 | global batch size: 256 | lm loss: 2.0E+00 |"
        )


def maxtext(seconds):
    yield "Num_devices: 8, shape (8,)"
    for i in range(10):
        yield f"completed step: {i}, seconds: {seconds}.000, TFLOP/s/device: 1,400.000, Tokens/s/device: 1000.000, total_weights: 65536, loss: 10.1"


def nemo(seconds):
    yield f"[NeMo I {clock(0)} nemo_logging:393] start"
    for i in range(10):
        yield f"Training epoch 0, iteration {i}/99 | global_step: {i} | reduced_train_loss: 2.1 | TFLOPS_per_GPU: 1,400.0 | train_step_timing in s: {seconds}.0 | consumed_samples: 64"


def bar(seconds):
    yield f"[NeMo I {clock(0)} nemo_logging:393] start"
    for i in range(10):
        yield f"Epoch 0: :  {i}%|▏ | {i}/100 [00:10<08:00, v_num=0, reduced_train_loss=2.1, global_step={i}.0, train_step_timing in s={seconds}.0]"


def nanogpt(seconds):
    for i in range(10):
        yield f"iter {i}: loss 4.1000, time {seconds},000.00ms, mfu 30.00%"


def llmc(seconds):
    for i in range(1, 11):
        yield f"step   {i:2d}/100 | loss 4.1 (+nanz)| norm 1.2 (+nanz)| lr 1.00e-04 | {seconds},000.10 ms | 45.1% bf16 MFU | 524,288 tok/s"


LINES = (megatron, maxtext, nemo, bar, nanogpt, llmc)
FLOPS = {megatron: 1400, maxtext: 1400, nemo: 1400}


class Numbers(TrainerLogs):
    def told(self, lines, name):
        return self.rows(
            "SELECT sum(executions), round(sum(seconds)), max(tflops_per_chip) FROM trace_training_steps(?)",
            self.file("".join(line + "\n" for line in lines), name),
        )[0]

    def test_commas(self):
        """2,000.0 is two thousand, whoever wrote it."""
        for lines in LINES:
            self.assertEqual(
                (10, 20000, FLOPS.get(lines)),
                self.told(lines("2,000" if lines is not megatron else "2,000,"), lines.__name__ + ".log"),
                lines,
            )

    def test_wrapped_lines(self):
        """A number at the end of a line that goes on in the next is cut off, and is none."""
        for lines, number in ((megatron, "5000.0"), (maxtext, "5.000"), (bar, "5.0")):
            path = self.file(
                "".join(line.replace(number, number[0] + "\n" + number[1:]) + "\n" for line in lines("5")),
                lines.__name__ + ".log",
            )
            self.assertEqual(
                0, self.rows("SELECT coalesce(sum(seconds), 0) FROM trace_training_steps(?)", path)[0][0], lines
            )
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            kinds = {row[0] for row in self.rows("SELECT kind FROM mpg_issues WHERE severity <> 'info'")}
            self.assertTrue(kinds & {"missing_field", "no_steps"}, (lines, kinds))


if __name__ == "__main__":
    unittest.main()
