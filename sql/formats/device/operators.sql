-- device/operators.sql - the work of operators by their shapes: device_op_work and device_op_roofline.
--
-- Reads device_operators and mpg_chips. A part of device_views.sql, which declares the columns.

-- timed_: of calls that kept a device busy. If the bytes of one call are not known, neither is their sum.
CREATE TEMP VIEW IF NOT EXISTS device_op_sums AS
SELECT trace, rank, chip, op, shapes, dtypes, count(*) AS calls, sum(flops) AS flops,
       iif(count(bytes) = count(*), sum(bytes), NULL) AS bytes,
       sum(device_ns) AS device_ns, sum(activities) AS activities, sum(flops) FILTER (WHERE device_ns > 0) AS timed_flops,
       iif(count(bytes) = count(*), sum(bytes) FILTER (WHERE device_ns > 0), NULL) AS timed_bytes, tf32
FROM device_operators
GROUP BY trace, rank, chip, op, shapes, dtypes, tf32;

CREATE TEMP VIEW IF NOT EXISTS device_op_work AS
SELECT trace, rank, chip, op, shapes, dtypes, calls, flops, bytes, device_ns, activities,
       timed_flops / nullif(device_ns, 0) / 1e3 AS tflop_per_s, timed_bytes / nullif(device_ns, 0) AS gb_per_s,
       flops / nullif(bytes, 0) AS flops_per_byte
FROM (SELECT trace, rank, chip, op, shapes, dtypes, sum(calls) AS calls, sum(flops) AS flops,
             iif(count(bytes) = count(*), sum(bytes), NULL) AS bytes, sum(device_ns) AS device_ns, sum(activities) AS activities,
             sum(timed_flops) AS timed_flops, iif(count(bytes) = count(*), sum(timed_bytes), NULL) AS timed_bytes
      FROM device_op_sums GROUP BY trace, rank, chip, op, shapes, dtypes);

-- What PyTorch calls a type (on Windows with "struct " before it), what the catalogue does, and from the widest on.
CREATE TEMP VIEW IF NOT EXISTS device_op_types AS
SELECT column1 AS type, column2 AS dtype, column3 AS width
FROM (VALUES ('double', 'fp64', 1), ('float', 'fp32', 2), ('c10::BFloat16', 'bf16', 3), ('c10::Half', 'fp16', 3),
        ('signed char', 'int8', 4),
             ('c10::Float8_e4m3fn', 'fp8', 4), ('c10::Float8_e5m2', 'fp8', 4), ('c10::Float8_e4m3fnuz', 'fp8', 4),
        ('c10::Float8_e5m2fnuz', 'fp8', 4),
             ('c10::Float4_e2m1fn_x2', 'fp4', 5));

CREATE TEMP VIEW IF NOT EXISTS device_op_roofline AS
-- Of fp32 and fp64 the units that multiply matrices count, where a chip has some. A device may be a part of its chip.
WITH peaks AS (
  SELECT chip, iif(dtype IN ('fp64_tensor', 'fp64_matrix', 'fp32_matrix'), substr(dtype, 1, 4), dtype) AS dtype,
         max(peak_flops) / coalesce(devices, 1) AS peak_flops, hbm_bytes_per_s / coalesce(devices, 1) AS hbm_bytes_per_s
  FROM mpg_chips GROUP BY 1, 2
),
-- Two operands are multiplied. What is added comes before them; of a gradient of attention too, which is of their type.
kinds AS MATERIALIZED (
  SELECT DISTINCT op, dtypes, op IN ('aten::addmm', 'aten::_addmm_activation', 'aten::addmv', 'aten::baddbmm', 'aten::addbmm') AS first
  FROM device_op_sums
),
types AS (
  SELECT k.op, k.dtypes, t.dtype, min(t.width)
  FROM kinds AS k CROSS JOIN json_each(k.dtypes) AS j LEFT JOIN device_op_types AS t ON t.type = replace(j.value, 'struct ', '')
  WHERE j.key BETWEEN k.first AND k.first + 1 GROUP BY k.op, k.dtypes HAVING count(t.dtype) = 2
),
work AS (
  SELECT w.*, chip_name(w.chip) AS named, iif(t.dtype = 'fp32' AND w.tf32, 'tf32', t.dtype) AS dtype
  FROM device_op_sums AS w LEFT JOIN types AS t ON t.op = w.op AND t.dtypes = w.dtypes
)
SELECT w.trace, w.rank, w.chip, w.op, w.shapes, w.dtype, w.calls, w.flops, w.bytes, w.device_ns,
       w.timed_flops / nullif(w.device_ns, 0) / 1e3 AS tflop_per_s, w.timed_bytes / nullif(w.device_ns, 0) AS gb_per_s,
       w.flops / nullif(w.bytes, 0) AS flops_per_byte, c.peak_flops / 1e12 AS peak_tflop_per_s,
       max(w.flops / c.peak_flops, w.bytes / c.hbm_bytes_per_s) * 1e9 AS roofline_ns,
       CASE WHEN w.flops / c.peak_flops >= w.bytes / c.hbm_bytes_per_s THEN 'compute'
            WHEN w.bytes / c.hbm_bytes_per_s IS NOT NULL AND c.peak_flops IS NOT NULL THEN 'memory' END AS bound,
       max(w.timed_flops / c.peak_flops, w.timed_bytes / c.hbm_bytes_per_s) * 1e9 / nullif(w.device_ns, 0) AS roofline_share
FROM work AS w LEFT JOIN peaks AS c ON c.chip = w.named AND c.dtype = w.dtype;
