"""kube_demand.py - what the owner of pods asks for, computed once more from what stands in its object."""

import json

from kube import G, Mapped, when


class Demand(Mapped):
    def naive(self, chips, least, pods, end):
        """What a job of `chips` that is whole from `least` on asks for, holds in vain and holds, second by second; pods are (chips, start, end)."""
        queued = partial = held = 0
        for second in range(end):
            now = sum(n for n, start, stop in pods if start <= second < stop)
            left = second >= max(stop for _, _, stop in pods)
            queued += 0 if left else max(0, chips - now)
            partial, held = (partial, held + now) if now >= least else (partial + now, held)
        return [(name, n) for name, n in (("partial", partial), ("queued", queued), ("untraced", held)) if n]

    def owned(self, name, start, end, chips, labels, failed=False):
        state = {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": int(failed)}}
        return self.pod(
            name,
            {G: chips},
            spec={"nodeName": "n"},
            metadata={"creationTimestamp": when(start), "labels": labels},
            status={
                "phase": "Failed" if failed else "Succeeded",
                "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                "containerStatuses": [{"state": state}],
            },
        )

    def check_demand(self, owner, pods, chips, least, labels):
        objects = [
            self.node("n", {G: "512"}, agentpool="a"),
            *([owner] if owner else []),
            *(self.owned(f"p{i}", *pod[1:3], pod[0], labels, *pod[3:]) for i, pod in enumerate(pods)),
        ]
        self.map(self.file("\n".join(map(json.dumps, objects))))
        self.assertEqual(self.rows("SELECT chips, min_chips FROM jobs"), [(chips, least)])
        if owner:
            self.assertEqual(
                self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE job IS NOT NULL GROUP BY 1"),
                self.naive(chips, least or chips, [pod[:3] for pod in pods], 1000),
            )
