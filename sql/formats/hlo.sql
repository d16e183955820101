-- hlo.sql - from XLA's HLO text to the relation `programs` of the native trace, and to ideal times.
--
--@ source 4
--@ feeds PG
--@ argument path :path FILES HLO text before optimisation: a file, glob, folder or fleet file
--@ argument chip_name :chip TEXT what the programs run on: a name or alias of mpg_chips; without it there are no ideal times
--@ argument f32 :f32 TEXT 'fp32_matrix' (unless given), 'fp32', 'tf32', 'bf16': the dtype at whose peak f32 is multiplied
--@ argument device_count :devices BIGINT how many devices an execution runs on, instead of what each module says
--@ input :hlo sure \A(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*HloModule\s
--@ hint (?s)\A\n[\x80-\xff]{1,4}[\x00-\x7f]\n[\x01-\x7f][A-Za-z_][A-Za-z0-9_.-]*\x12 => HLO as a protobuf: hlo-translate makes text of it, or dump with XLA_FLAGS=--xla_dump_to=DIR --xla_dump_hlo_as_text
--@ hint (?s)\A(?:\s|//[^\n]*\n)*(?:"?(?:builtin\.|vhlo\.)?module\b|#[a-z]).*(?:stablehlo|mhlo|chlo|vhlo)\. => StableHLO: convert it to HLO text, or dump with XLA_FLAGS=--xla_dump_to=DIR --xla_dump_hlo_as_text
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :hlo  fixtures/hlo
--     .param set :chip nvidia-h100-sxm
--     .read sql/formats/hlo.sql
--     SELECT program, dtype, flops FROM programs;
--     SELECT program, compute_s, memory_s, interconnect_s FROM hlo_ideal;
--
-- Parameters (all but :hlo may be left unset): :hlo is a path, glob or folder of HLO text; take the
-- modules before optimisation. :chip is what they run on. :f32 is the dtype at whose peak f32 is
-- multiplied: 'fp32_matrix' unless given; 'tf32' where XLA may use it, 'bf16' on TPUs. :devices is
-- how many devices an execution runs on, instead of what each module says: set it for those that do not say.
--
-- From a program that cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE hlo_input AS
--     SELECT *, _file AS file, 'nvidia-h100-sxm' AS chip, 'fp32_matrix' AS f32, NULL AS run_on FROM hlo_cost('dump/');
--
-- Makes the TEMP tables
--   programs   program, flops, bytes, dtype: of one execution, all devices together, as mpg_ledger wants
--              it. bytes are those of parameters and results,
--              what is replicated on each device. Where a program multiplies in several
--              dtypes, its FLOPs are those of its main one that take the same ideal time on :chip; without
--              :chip they are NULL, as no one peak is right
--   hlo_flops  program, dtype, flops: the same by dtype
--   hlo_ideal  with :chip, seconds of one device for one execution: compute_s, the sum of FLOPs / peak;
--              memory_s, the device's parameters and results / bandwidth; interconnect_s, what a rank sends / its links.
--              They are three columns, and never added or maximised here. compute_s is NULL where something
--              is multiplied in a type that :chip has no peak for, such as s32: the program is unrated
-- Two modules of one name are two rows; mpg_issues then mentions a conflicting_program.
-- The rules are explained in docs/program-goodput.md.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS hlo_input AS
SELECT *, _file AS file, :chip AS chip, coalesce(:f32, 'fp32_matrix') AS f32,
       iif(coalesce(:devices, 1) > 0, :devices, mpg_required(NULL, 'a device_count above 0')) AS run_on
FROM hlo_cost(mpg_required(:hlo, ':hlo'));

-- A dump has a module several times: module_0001.NAME.before_optimizations.txt, as it came from a pass, after_optimizations.
-- Before optimisation it counts, or where the first pipeline of passes begins (whose file stands for one with the same content), or as the
-- last stage that is there.
DROP TABLE IF EXISTS temp.hlo_stages;
CREATE TEMP TABLE hlo_stages AS
WITH files AS (
  SELECT rowid AS id, file, module, rtrim(file, replace(file, '/', '')) AS folder,
         substr(file, length(rtrim(file, replace(file, '/', ''))) + 1) AS base FROM hlo_input
),
numbered AS (SELECT *, substr(base, instr(base, 'module_') + 7) AS rest FROM files WHERE base GLOB '*module_[0-9]*.?*.*'),
stages AS (SELECT id, file, folder || substr(base, 1, length(base) - length(ltrim(rest, '0123456789'))) AS dumped, module, base
           FROM numbered)
SELECT id, file, first_value(file) OVER o AS kept
FROM stages WINDOW o AS (PARTITION BY dumped, module
                         ORDER BY base NOT GLOB '*.before_optimizations.*', base NOT GLOB '*.0000.*after_pipeline-start.*',
                           base NOT GLOB '*after_optimizations.*', base DESC, id);
DELETE FROM hlo_stages WHERE file = kept;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'info', 'ignored_file', count(*), 'another stage of the module of ' || kept || ': left out'
FROM hlo_stages GROUP BY file, kept;
DELETE FROM hlo_input WHERE rowid IN (SELECT id FROM hlo_stages);
DROP TABLE hlo_stages;

-- ---- 2. How many devices; what a module's figures are to be multiplied by for all of them. Where a chip is of
-- several devices, each has its part of the chip's peak, bandwidth and links ----

DROP TABLE IF EXISTS temp.hlo_scaled;
CREATE TEMP TABLE hlo_scaled AS
WITH known AS MATERIALIZED (SELECT chip, devices, dtype FROM mpg_chips)
SELECT *, CASE scope WHEN 'global' THEN on_devices / CAST(num_partitions AS REAL) ELSE on_devices END AS times,
       coalesce((SELECT max(k.devices) FROM known AS k WHERE k.chip = named), 1) AS of_chip,
       (SELECT json_group_array(k.dtype) FROM known AS k WHERE k.chip = named) AS peaks
FROM (SELECT rowid AS id, *, coalesce(run_on, devices) AS on_devices, chip_name(chip) AS named FROM hlo_input);

-- ---- 3. FLOPs by dtype ----

--@ table trace_hlo_flops hlo_flops FLOPs of one execution by program and dtype
--@ column id BIGINT - of the module among those read
--@ column file TEXT -
--@ column program TEXT - the module's name
--@ column dtype TEXT - in which it is multiplied
--@ column flops REAL flops of all devices together
DROP TABLE IF EXISTS temp.hlo_flops;
CREATE TEMP TABLE hlo_flops AS
SELECT m.id, m.file, m.module AS program, CASE part.key WHEN 'fp32_matrix' THEN m.f32 ELSE part.key END AS dtype, part.value * m.times AS flops
FROM hlo_scaled AS m, json_each(m.matmul_by_dtype) AS part;
CREATE INDEX temp.hlo_flops_of ON hlo_flops(id);

-- ---- 4. Ideal times of one device ----

--@ table trace_hlo_ideal hlo_ideal the ideal times of programs on a chip, of one device for one execution
--@ column id BIGINT - of the module among those read
--@ column file TEXT -
--@ column program TEXT - the module's name
--@ column chip TEXT - as given
--@ column devices BIGINT devices that an execution runs on
--@ column coverage REAL ratio of instructions whose cost is known
--@ column compute_s REAL s FLOPs / peak; NULL: the chip has no peak for a type
--@ column memory_s REAL s parameters and results / bandwidth
--@ column interconnect_s REAL s what a rank sends / its links
DROP TABLE IF EXISTS temp.hlo_ideal;
CREATE TEMP TABLE hlo_ideal AS
SELECT m.id, m.file, m.module AS program, m.chip, m.on_devices AS devices, m.coverage,
       CASE WHEN m.peaks = '[]' /* an unknown chip, which roofline_ideal tells */ OR NOT EXISTS (
                   SELECT 1 FROM hlo_flops AS f WHERE f.id = m.id AND f.dtype <> m.f32 AND NOT EXISTS (
                     SELECT 1 FROM json_each(m.peaks) AS p
                     WHERE f.dtype IN (p.value, p.value || '_matrix') OR (p.value IN ('bf16', 'fp16') AND f.dtype IN ('bf16', 'fp16'))
                       OR (p.value = 'fp64_tensor' AND f.dtype = 'fp64_matrix')))
            THEN coalesce((SELECT roofline_ideal(f.flops * m.of_chip / m.on_devices, 0, m.chip, f.dtype)
                           FROM hlo_flops AS f WHERE f.id = m.id), 0.0)
       END AS compute_s,
       CAST(m.device_bytes AS REAL) * m.of_chip / chip_bandwidth(m.chip) AS memory_s,
       m.wire_bytes * m.times * m.of_chip / m.on_devices / chip_interconnect(m.chip) AS interconnect_s
FROM hlo_scaled AS m
WHERE m.chip IS NOT NULL;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', 'no_chip', count(*), 'no ideal times: expected chip_name, or the option chip of a fleet file'
FROM hlo_scaled WHERE chip IS NULL AND :table = 'trace_hlo_ideal' GROUP BY file;

-- ---- 5. The relation ----

--@ table trace_hlo_programs programs what one execution of each program does, all devices together: the relation programs
--@ column program TEXT - the module's name
--@ column flops REAL flops in its main dtype; without a chip NULL if it multiplies in several
--@ column bytes REAL bytes of parameters and results
--@ column dtype TEXT - the main one
-- program_files: the same with the file, which may be a job's, and where no chip makes FLOPs of them those of each dtype; else that chip.
DROP TABLE IF EXISTS temp.program_files;
CREATE TEMP TABLE program_files AS
WITH main AS (
  SELECT id, dtype, max(flops) AS most, count(*) AS dtypes, sum(flops) AS flops, json_group_object(dtype, flops) AS parts
  FROM hlo_flops GROUP BY id
),
made AS (
  SELECT m.module AS program,
         CASE WHEN main.dtypes IS NULL THEN 0.0
              WHEN main.dtypes = 1 THEN main.flops
              WHEN i.compute_s IS NOT NULL THEN i.compute_s * m.on_devices / m.of_chip * chip_peak_flops(m.chip, main.dtype)
         END AS flops,
         CAST(m.device_bytes AS REAL) * m.on_devices AS bytes, main.dtype AS dtype, main.parts, m.file, m.chip,
         iif(main.dtypes > 1, m.chip, NULL) AS made_on
  FROM hlo_scaled AS m LEFT JOIN main USING (id) LEFT JOIN hlo_ideal AS i USING (id)
)
SELECT program, flops, bytes, dtype, iif(flops IS NULL, parts, NULL) AS parts, file, chip, iif(flops IS NULL, NULL, made_on) AS made_on
FROM made;
DROP TABLE IF EXISTS temp.programs;
CREATE TEMP TABLE programs AS SELECT program, flops, bytes, dtype FROM program_files;

-- Programs without FLOPs, which nothing rates. (Of a fleet's, sources/programs.sql tells which.)
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', iif(chip IS NULL, 'no_chip', 'unknown_dtype'), count(*),
       'FLOPs of several dtypes, as those of program ' || min(program)
         || iif(chip IS NULL, ', which nothing rates without the option chip',
                ', and ' || chip || ' has no peak for one: nothing rates them')
FROM program_files WHERE parts IS NOT NULL AND :table = 'trace_hlo_programs' GROUP BY file, chip;

-- ---- 6. Tables that are no longer needed ----

DROP TABLE hlo_scaled;
DROP TABLE hlo_input;
