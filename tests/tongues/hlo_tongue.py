"""hlo_tongue.py - the HLO dump of a program that takes so many FLOPs: one product of two matrices of bf16."""

from decimal import Decimal


def dims_of(flops):
    """(m, k, n) with 2 m k n = flops, a short number with zeros behind it, as text."""
    half, tens = int(Decimal(flops)) // 2, 0
    if 2 * half != Decimal(flops):
        raise ValueError(f"{flops} FLOPs are no product")
    while half % 10 == 0:
        half, tens = half // 10, tens + 1
    return half, 10 ** (tens // 2), 10 ** (tens - tens // 2)


def hlo(module, flops):
    m, k, n = dims_of(flops)
    a, b, c = f"bf16[{m},{k}]", f"bf16[{k},{n}]", f"bf16[{m},{n}]"
    return f"""HloModule {module}, is_scheduled=true

ENTRY %main (a: {a}, b: {b}) -> {c} {{
  %a = {a}{{1,0}} parameter(0)
  %b = {b}{{1,0}} parameter(1)
  ROOT %dot = {c}{{1,0}} dot({a}{{1,0}} %a, {b}{{1,0}} %b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
}}
"""
