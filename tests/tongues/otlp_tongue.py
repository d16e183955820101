"""otlp_tongue.py - a job as a program with OpenTelemetry tells of it, by the convention of docs/formats/otlp.md: spans that have ended, exactly."""

import json
import uuid

from story import OPEN
from trainer_logs import Log, seconds


def otlp(job, phase, runs, programs):
    """(text, Log) of a job; a span names its program where `programs` has it (program -> HLO module), and else its FLOPs."""
    log, spans = Log(), []

    def attribute(key, value):
        kind = "stringValue" if isinstance(value, str) else "intValue" if isinstance(value, int) else "doubleValue"
        return {"key": f"mpg.{key}", "value": {kind: str(value) if kind == "intValue" else value}}

    def tell(kind, start, end, failed=False, **attributes):
        number = f"{len(spans) + 1:016x}"
        spans.append(
            {
                "traceId": uuid.uuid5(uuid.NAMESPACE_OID, job).hex,
                "spanId": number,
                "name": f"{kind} of {job}",
                "kind": 1,
                "startTimeUnixNano": f"{start}000",
                "endTimeUnixNano": f"{end}000",
                "status": {"code": 2} if failed else {},
                "attributes": [
                    attribute("kind", kind),
                    *(attribute(k, v) for k, v in attributes.items() if v is not None),
                ],
            }
        )

    for run in runs:
        for span in run.spans:
            if span.end >= OPEN:
                continue
            told = dict(kind=span.kind, start_time=seconds(span.start), end_time=seconds(span.end), step=span.step)
            if span.program in programs and span.executions is not None:
                tell(
                    span.kind,
                    span.start,
                    span.end,
                    step=span.step,
                    program=programs[span.program],
                    executions=span.executions,
                )
                log.spans.append(dict(told, program=programs[span.program], executions=span.executions))
            else:
                tell(span.kind, span.start, span.end, step=span.step, flops=span.flops)
                log.spans.append(dict(told, flops=span.flops))
        for commit in run.commits:
            durable = commit.durable < OPEN
            tell(
                "commit", commit.snapshot, commit.durable if durable else commit.snapshot, not durable, step=commit.step
            )
            log.commits.append(
                dict(
                    step=commit.step,
                    snapshot_time=seconds(commit.snapshot),
                    durable_time=seconds(commit.durable) if durable else None,
                )
            )
    resource = {
        "attributes": [
            {"key": "service.name", "value": {"stringValue": "trainer"}},
            attribute("job", job),
            attribute("phase", phase),
        ]
    }
    return (
        json.dumps(
            {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "trainer"}, "spans": spans}]}]}
        )
        + "\n",
        log,
    )
