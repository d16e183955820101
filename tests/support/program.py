"""program.py - fixtures of programs, and the FLOPs of a model by its shape."""

import json
import os

import cases
from fleets import ROOT

SHARED = os.path.join(os.path.dirname(ROOT), "shared")
HLO = os.path.join(ROOT, "fixtures/hlo")
RUN = os.path.join(ROOT, "fixtures/hlo-run")


class Case(cases.Case):
    def flops(self, **shape):
        return self.one("SELECT transformer_flops(?)", json.dumps(shape))
