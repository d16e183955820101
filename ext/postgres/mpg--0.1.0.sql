-- The objects of the extension. An aggregate is one name with seven signatures, so they are made in a loop.
--
-- The script runs as a superuser, with the extension's schema in the search path. Polymorphic functions are called with
-- their schema, else one of the same name there whose types fit better would be called in their place.
\echo Use "CREATE EXTENSION mpg" to load this file. \quit

-- Partial aggregates travel between processes as bytes.
CREATE FUNCTION mpg_goodput_serial(internal) RETURNS bytea
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION mpg_goodput_deserial(bytea, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION mpg_goodput_combine(internal, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

DO $do$
DECLARE
  form record;
  result record;
BEGIN
  FOR result IN
    SELECT * FROM (VALUES
      ('scheduling_goodput', 'double precision'), ('runtime_goodput', 'double precision'),
      ('program_goodput', 'double precision'), ('mpg', 'double precision'), ('mpg_lower', 'double precision'),
      ('runtime_coverage', 'double precision'), ('program_coverage', 'double precision'),
      ('occupancy', 'double precision'), ('mfu', 'double precision'), ('ettr', 'double precision'),
      ('goodput', 'json'), ('goodput_state', 'bytea')) AS r(name, type)
  LOOP
    EXECUTE pg_catalog.format($f$CREATE FUNCTION mpg_final_%s(internal) RETURNS %s
      AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$f$, result.name, result.type);
  END LOOP;

  FOR form IN
    SELECT * FROM (VALUES
      ('category_int8', 'text, bigint'),
      ('category_float8', 'text, double precision'),
      ('category_numeric', 'text, numeric'),
      ('wide_int8', 'bigint, bigint, bigint, bigint'),
      ('wide_float8', 'double precision, double precision, double precision, double precision'),
      ('wide_numeric', 'numeric, numeric, numeric, numeric'),
      ('state', 'bytea')) AS f(name, arguments)
  LOOP
    EXECUTE pg_catalog.format($f$CREATE FUNCTION mpg_%s(internal, %s) RETURNS internal
      AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$f$, form.name, form.arguments);
    EXECUTE pg_catalog.format($f$CREATE FUNCTION mpg_%s_out(internal, %s) RETURNS internal
      AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$f$, form.name, form.arguments);
    FOR result IN
      SELECT *, name AS final FROM pg_catalog.unnest(ARRAY['scheduling_goodput', 'runtime_goodput', 'program_goodput', 'mpg',
        'mpg_lower', 'runtime_coverage', 'program_coverage', 'occupancy', 'mfu', 'ettr', 'goodput',
        'goodput_state']) AS name
      UNION ALL
      SELECT 'goodput_merge', 'goodput_state' WHERE form.name = 'state'
    LOOP
      EXECUTE pg_catalog.format($f$CREATE AGGREGATE %1$I(%2$s) (
        STYPE = internal, SFUNC = mpg_%3$s, FINALFUNC = mpg_final_%4$s,
        COMBINEFUNC = mpg_goodput_combine, SERIALFUNC = mpg_goodput_serial, DESERIALFUNC = mpg_goodput_deserial,
        MSTYPE = internal, MSFUNC = mpg_%3$s, MINVFUNC = mpg_%3$s_out, MFINALFUNC = mpg_final_%4$s,
        PARALLEL = SAFE)$f$, result.name, form.arguments, form.name, result.final);
    END LOOP;
  END LOOP;
END
$do$;

CREATE FUNCTION chip_peak_flops(chip text) RETURNS double precision
  AS 'MODULE_PATHNAME', 'mpg_chip_peak_flops' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION chip_peak_flops(chip text, dtype text) RETURNS double precision
  AS 'MODULE_PATHNAME', 'mpg_chip_peak_flops' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION chip_bandwidth(chip text) RETURNS double precision
  AS 'MODULE_PATHNAME', 'mpg_chip_bandwidth' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION mpg_final_roofline_ideal(internal) RETURNS double precision
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

DO $do$
DECLARE
  arguments text;
BEGIN
  FOREACH arguments IN ARRAY ARRAY['double precision, text', 'double precision, double precision, text',
    'double precision, double precision, text, text']
  LOOP
    EXECUTE pg_catalog.format($f$CREATE FUNCTION roofline_seconds(%s) RETURNS double precision
      AS 'MODULE_PATHNAME', 'mpg_roofline_seconds' LANGUAGE C STABLE PARALLEL SAFE$f$, arguments);
    EXECUTE pg_catalog.format($f$CREATE FUNCTION roofline_bound(%s) RETURNS text
      AS 'MODULE_PATHNAME', 'mpg_roofline_bound' LANGUAGE C STABLE PARALLEL SAFE$f$, arguments);
    EXECUTE pg_catalog.format($f$CREATE FUNCTION mpg_roofline_add(internal, %s) RETURNS internal
      AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$f$, arguments);
    EXECUTE pg_catalog.format($f$CREATE FUNCTION mpg_roofline_take(internal, %s) RETURNS internal
      AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$f$, arguments);
    EXECUTE pg_catalog.format($f$CREATE AGGREGATE roofline_ideal(%s) (
      STYPE = internal, SFUNC = mpg_roofline_add, FINALFUNC = mpg_final_roofline_ideal,
      COMBINEFUNC = mpg_goodput_combine, SERIALFUNC = mpg_goodput_serial, DESERIALFUNC = mpg_goodput_deserial,
      MSTYPE = internal, MSFUNC = mpg_roofline_add, MINVFUNC = mpg_roofline_take,
      MFINALFUNC = mpg_final_roofline_ideal, PARALLEL = SAFE)$f$, arguments);
  END LOOP;
END
$do$;

-- The ledger: over files of the server (the functions check that the role may read them), and over relations, through
-- the search path or a schema's name. "any" takes numbers, text and timestamps, as SQLite's arguments do.
DO $do$
DECLARE
  f record;
  options text := 'bucket_width "any" DEFAULT NULL, since "any" DEFAULT NULL, until "any" DEFAULT NULL, as_of "any" DEFAULT NULL, '
    'basis text DEFAULT NULL, sizes text DEFAULT NULL, roofline text DEFAULT NULL, on_error text DEFAULT NULL, '
    'threads bigint DEFAULT NULL';
  dims text := 'pool text, chip text, job text, attempt bigint, name text, owner text, phase text, framework text, '
    'runtime text, model text, size text, priority text, labels text, category text, cause text, ';
BEGIN
  FOR f IN
    SELECT * FROM (VALUES
      ('trace_ledger', 'path text, ', '', 'ledger'), ('trace_rollup', 'path text, ', ', by text DEFAULT NULL', 'rollup'),
      ('trace_timeline', 'path text, of_job text DEFAULT NULL, ', '', 'timeline'),
      ('mpg_ledger', 'schema text DEFAULT NULL, ', '', 'ledger'),
      ('mpg_rollup', 'schema text DEFAULT NULL, ', ', by text DEFAULT NULL', 'rollup'),
      ('mpg_timeline', 'of_job text DEFAULT NULL, schema text DEFAULT NULL, ', '', 'timeline')) AS f(name, first, last, shape)
  LOOP
    EXECUTE pg_catalog.format('CREATE FUNCTION %1$I(%2$s%3$s%4$s) RETURNS TABLE(%5$s) AS ''MODULE_PATHNAME'', ''mpg_table_%1$s'' '
      'LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000000', f.name, f.first, options, f.last,
      CASE f.shape
        WHEN 'ledger' THEN dims || 'start_time double precision, end_time double precision, bucket text, chip_us bigint, '
          'chip_seconds double precision'
        WHEN 'rollup' THEN dims || 'bucket text, chip_us bigint, chip_seconds double precision, intervals bigint'
        ELSE 'job text, attempt bigint, start_time double precision, end_time double precision, category text, cause text, '
          'kind text, step bigint, program text, pool text, chip text, bucket text, chip_us bigint, '
          'chip_seconds double precision, _file text, _line bigint'
      END);
  END LOOP;
END
$do$;

CREATE FUNCTION trace_sources(path text, on_error text DEFAULT NULL)
  RETURNS TABLE(file text, format text, certainty text, reason text, source bigint, files bigint, records text, jobs bigint,
    first_time double precision, last_time double precision, observed_until double precision, feeds text, missing text,
    inferred text, job text)
  AS 'MODULE_PATHNAME', 'mpg_trace_sources' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000000 ROWS 100;

CREATE FUNCTION mpg_issues()
  RETURNS TABLE(source text, severity text, kind text, line bigint, count bigint, detail text)
  AS 'MODULE_PATHNAME', 'mpg_session_issues' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION mpg_chips()
  RETURNS TABLE(chip text, vendor text, year bigint, dtype text, peak_flops double precision, hbm_bytes bigint,
    hbm_bytes_per_s double precision, ici_bytes_per_s double precision, tdp_w double precision, source text, aliases text,
    devices bigint, unit text)
  AS 'MODULE_PATHNAME', 'mpg_builtin_chips' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 300;
CREATE FUNCTION mpg_categories()
  RETURNS TABLE(category text, layer text, meaning text, in_capacity bigint, in_allocated bigint, in_productive bigint)
  AS 'MODULE_PATHNAME', 'mpg_all_categories' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 18;

CREATE FUNCTION chip_name(chip text) RETURNS text
  AS 'MODULE_PATHNAME', 'mpg_chip_name' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION chip_interconnect(chip text) RETURNS double precision
  AS 'MODULE_PATHNAME', 'mpg_chip_interconnect' LANGUAGE C STABLE PARALLEL SAFE;
-- STABLE, for the text of a type may depend on settings.
CREATE FUNCTION job_size(chips "any") RETURNS text
  AS 'MODULE_PATHNAME', 'mpg_job_size' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION job_size(chips "any", bounds text) RETURNS text
  AS 'MODULE_PATHNAME', 'mpg_job_size' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION time_bucket("time" "any", width "any") RETURNS text
  AS 'MODULE_PATHNAME', 'mpg_time_bucket' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION iso_week("time" "any") RETURNS text
  AS 'MODULE_PATHNAME', 'mpg_iso_week_of' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION iso_week("time" "any", "offset" text) RETURNS text
  AS 'MODULE_PATHNAME', 'mpg_iso_week_of' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION transformer_flops(shape "any") RETURNS double precision
  AS 'MODULE_PATHNAME', 'mpg_transformer_flops_of' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION mpg_version() RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'mpg' $$;

-- Without arguments they are tables in SQLite, and here.
CREATE VIEW mpg_chips AS SELECT * FROM mpg_chips();
CREATE VIEW mpg_categories AS SELECT * FROM mpg_categories();
CREATE VIEW mpg_ledger AS SELECT * FROM mpg_ledger();
CREATE VIEW mpg_rollup AS SELECT * FROM mpg_rollup();
CREATE VIEW mpg_timeline AS SELECT * FROM mpg_timeline();
CREATE VIEW mpg_issues AS SELECT * FROM mpg_issues();
GRANT SELECT ON mpg_chips, mpg_categories, mpg_ledger, mpg_rollup, mpg_timeline, mpg_issues TO PUBLIC;
