"""Numbers in logs of trainers: with commas between their thousands, cut off where a terminal wrapped a line, and clocks of two zones."""

import datetime
import itertools
import json
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


def zoned_megatron():
    for i in range(1, 11):
        yield 10 * i, f" [{{0}}] iteration {i:8d}/ 100 | consumed samples: {i * 256:12d} | elapsed time per iteration (ms): 10000.0 | lm loss: 2.0E+00 |"


def zoned_torchtitan():
    for i in range(1, 11):
        yield 10 * i, f"[titan] {{0}},500 - root - INFO - step: {i:2d}  loss:  8.1  memory: 10.5GiB(11.1%)  tps: 1,234  tflops: 345.67  mfu: 34.9%"


def zoned_deepspeed():
    for i in range(1, 11):
        yield 10 * i, f"[{{0}},500] [INFO] [logging.py:96:log_dist] [Rank 0] step={i}, skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]"


def zoned_nemo():
    yield 0, "[NeMo I {0} nemo_logging:393] start"
    for i in range(10):
        yield 10 * i + 10, f"Training epoch 0, iteration {i}/99 | global_step: {i} | reduced_train_loss: 2.1 | train_step_timing in s: 10.0"
        if i == 5:
            yield 61, "[NeMo I {0} nemo_logging:393] Successfully saved checkpoint from iteration 5 to /checkpoints"
    yield 101, "[NeMo I {0} nemo_logging:393] over"


def zoned_maxtext():
    yield 0, "{0},500 Num_devices: 1, shape (1,)"
    for i in range(10):
        yield 10 * i + 10, f"{{0}},500 completed step: {i}, seconds: 10.000, TFLOP/s/device: 150.000, Tokens/s/device: 1000.000, loss: 10.1"


def zoned_nanogpt():
    for i in range(10):
        yield 10 * i + 10, f"{{0}} iter {i}: loss 4.1000, time 10000.00ms, mfu 30.00%"


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

    def test_a_zone_beside_the_line(self):
        """A container's runtime, or what keeps logs, has put UTC to lines whose own clock is some hours ahead or behind."""
        kept = (
            lambda time, line: f"{time} {line}",
            lambda time, line: f"{time} stdout F {line}",
            lambda time, line: f"[pod/train-0/main] {time} {line}",
            lambda time, line: json.dumps({"log": line + "\n", "stream": "stdout", "time": time}),
            lambda time, line: json.dumps({"textPayload": line, "timestamp": time}),
        )
        for hours, keep in itertools.product((8, -8, 5.5), kept):
            for lines in (zoned_megatron, zoned_torchtitan, zoned_deepspeed, zoned_nemo, zoned_maxtext, zoned_nanogpt):
                if lines is zoned_nanogpt and keep("", "")[0] == "{":
                    continue  # no kin of nanoGPT's has a clock of its own there
                text = "".join(
                    keep(clock(at).replace(" ", "T") + ".500000000Z", line.format(clock(at + hours * 3600))) + "\n"
                    for at, line in lines()
                )
                path = self.file(text, lines.__name__ + ".log")
                told = self.rows(
                    "SELECT CAST(max(end_time) - ? AS INTEGER), round(sum(seconds)) FROM trace_training_steps(?)",
                    T0,
                    path,
                )
                self.assertEqual([(100, 100)], told, (text[:300], hours))
                held = self.rows("SELECT round(sum(chip_seconds)) FROM trace_rollup(?)", self.fleet(path, chips=1))
                self.assertTrue(100 <= held[0][0] <= 112, (text[:300], hours, held))

    def test_numbers_beside_the_tracker_s_own(self):
        """nanoGPT's iter and nanochat's step are the trainer's, where the tracker's counts what was logged: unless it is the number within an epoch, or some lack it."""

        def of(key, told):
            row = lambda i, n: {"_step": i, "_timestamp": T0 + 10 * i, "_runtime": 10 * i, "train/loss": 2.5, key: n}
            rows = [{k: v for k, v in row(i, n).items() if v is not None} for i, n in enumerate(told, 1)]
            columns = list(row(0, 0))
            csv = [",".join(columns)] + [",".join(str(row.get(name, "")) for name in columns) for row in rows]
            found = []
            for text, name in (("\n".join(map(json.dumps, rows)) + "\n", "w.jsonl"), ("\n".join(csv) + "\n", "w.csv")):
                path = self.file(text, name)
                found.append(self.rows("SELECT attempt, step FROM trace_training_steps(?)", path))
                listed = self.rows("SELECT DISTINCT kind FROM mpg_issues WHERE severity <> 'info'")
                self.assertEqual([("repeated_steps",)] if found[-1][-1][0] > 1 else [], listed)
            self.assertEqual(found[0], found[1], (key, told))
            return found[0]

        for key in ("iter", "step", "iteration", "iteration_step"):
            self.assertEqual([(1, 250 * i) for i in range(5)], of(key, range(0, 1250, 250)))
        own = [(1, i) for i in range(1, 7)]
        for told in ((0, 1, 2, 0, 1, 2), (1, 2, 3, 1, 2, 3), (7,) * 6, (10, 20, None, 40, 50, 60), (1, 1, 1, 1, 2, 2)):
            self.assertEqual(own, of("step", told))
        went_back = [(1, 10), (1, 20), (1, 30), (2, 20), (2, 30), (2, 40)]
        self.assertEqual(went_back, of("step", (10, 20, 30, 20, 30, 40)))


if __name__ == "__main__":
    unittest.main()
