"""What the tests of OpenTelemetry share: requests as an exporter writes them."""

import base64
import os
import random

import cases
from fleets import ROOT

SPANS = os.path.join(ROOT, "fixtures/otlp/spans.jsonl")
ALONE = os.path.join(ROOT, "fixtures/otlp/finetune.json")
T0 = 1772352000
NS = 10**9


def encode(value):
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": random.choice([value, str(value)])}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return {"arrayValue": {"values": [encode(v) for v in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": k, "value": encode(v)} for k, v in value.items()]}}
    return {} if value is None else {"stringValue": value}


class Case(cases.Case):
    FILE = "spans.jsonl"

    def request(self, *spans, resource=None, **more):
        return {
            "resourceSpans": [
                {
                    "resource": {"attributes": [{"key": k, "value": encode(v)} for k, v in (resource or {}).items()]},
                    "scopeSpans": [{"scope": {"name": "test"}, "spans": list(spans)}],
                }
            ],
            **more,
        }

    def span(self, name, start=0, end=None, **attributes):
        span = {
            "name": name,
            "startTimeUnixNano": str(int((T0 + start) * NS)),
            "attributes": [{"key": "mpg." + k, "value": encode(v)} for k, v in attributes.items()],
        }
        return span if end is None else {**span, "endTimeUnixNano": str(int((T0 + end) * NS))}
