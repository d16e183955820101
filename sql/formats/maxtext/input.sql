-- maxtext/input.sql - the input: lines of steps, evaluations, saves and the configuration.
--
-- Reads log_trace. Makes training_lines, one row for each such line.
-- A part of maxtext.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The input: lines of steps, evaluations, saves and the configuration ----

-- What follows goes by rowid where it can: logs have millions of lines.
DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT _file AS file, _line AS line, time, step, log_group(_record, 'seconds') AS step_seconds, log_group(_record, 'tflops') AS tflops,
       iif(:only_relations IS NULL, log_group(_record, 'tokens'), NULL) AS tokens, log_group(_record, 'loss') AS loss,
       iif(step IS NULL, fields, NULL) AS fields, NULL AS eval_step, NULL AS eval_seconds, NULL AS saved, NULL AS saving, NULL AS blocked,
       NULL AS blocking, NULL AS finished, NULL AS load_seconds, NULL AS loaded,
       NULL AS all_steps, NULL AS all_devices, NULL AS chip_name, NULL AS ended,
       iif(log_group(_record, 'yearless') IS NULL, 0, mpg_required(:year, ':year')) AS year, -- its times would be of 1970
       log_group(_record, 'spliced') AS spliced, iif(step IS NULL, fields IS NULL, 0) AS is_tail
FROM log_trace(mpg_required(:log, ':log'), '(?x)
  (?: (?<time> \d{4}-\d\d-\d\d (?<! iveTimestamp":"\d{4}-\d\d-\d\d | iveTimestamp":\ "\d{4}-\d\d-\d\d ) [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )?
             | \d{8}\ \d\d:\d\d:\d\d (?= \]\ ?\[rank- ) | (?<= [IWEF]) (?<yearless>) \d{4}\ \d\d:\d\d:\d\d\.\d+ ) .{0,300}? )?
  (?: \b completed\ (?: profiler\ activation/deactivation\  )? step:\ (?<step>\d+) (?= , )
      (?: (?= .* ,\ seconds:\ (?<seconds>(?> [\d.]+ (?: ,\d{3} [\d.]* )* )) (?! (?<! \.\d | \.\d\d | \.\d{3} ) \s* $ ) ) )?
      (?: (?= .* ,\ TFLOP/s (?: /device )? :\ (?<tflops>(?> [\d.]+ (?: ,\d{3} [\d.]* )* )) (?! (?<! \.\d | \.\d\d | \.\d{3} ) \s* $ ) ) )?
      (?: (?= .* ,\ Tokens/s/device:\ (?<tokens>(?> [\d.]+ (?: ,\d{3} [\d.]* )* )) ) )? (?: (?= .* ,\ total_weights:\ (?<total_weights>[\d.]+) ) )?
      (?: (?= .* ,\ loss:\ (?<loss>[^,\s]+) ) )?
    | [Cc]ompleted\ eval\ step:?\ (?<eval_step>\d+) (?: ,\ seconds:\ (?<eval_seconds>(?> [\d.]+ (?: ,\d{3} [\d.]* )* )) )?
    | [Ss]aved\ a\ checkpoint\ at\ step\ (?<saved>\d+)
    | Started\ an\ asynchronous\ checkpoint\ save\ for\ step\ (?<saving>\d+)
    | Finished\ blocking\ save\ in\ (?<blocked>[\d.]+)\ seconds (?: \.\ Continuing\ .{0,60}? \ (?: @ | to )\ \S*? / (?: checkpoint_ )? (?<blocking>\d+) \.? (?= [\s"\x27\\,] | $ ) )?
    | Finished\ (?: (?: asynchronous\ )? save | async_save ) (?: \ \([^)]*\) )? (?: \ in\ [\d.]+\ seconds\ (?: @ | to )\ | \.\ Time\ taken:\ [\d.]+s\.\ directory= )
      \S*? / (?: checkpoint_ )? (?<finished>\d+) (?: /\w+ )? \.? (?= [\s"\x27\\,] | $ )
    | Finished\ (?: load | restore | restoring\ checkpoint ) (?: \ \([^)]*\) )? \ in\ (?<load_seconds>[\d.]+)\ seconds\ (?: @ | from )\ \S*? / (?: checkpoint_ )? (?<loaded>\d+)
      (?: /\w+ )? \.? (?= [\s"\x27\\,] | $ )
    | Training\ stopped:\ (?: Target\ loss (?<reached>) | Job\ is\ preempted (?<preempted>) )
    | Aborting\ training\ due\ to\ (?: NaN | Inf )\ loss (?<aborted>)
    | Config\ param\ steps:\ (?<steps>\d+)
    | Num_devices:\ (?<devices>\d+)
    | \bTFRT\ (?<chip>TPU \ ?\w+ (?:\ lite)? ) )
  (?: (?= .{115} ) (?= .* (?: \bcompleted\ step:\ (?<spliced>\d+), | (?<spliced> [Ss]aved\ a\ checkpoint\ at\ step | Started\ an\ asynchronous\ checkpoint\ save
    | Finished\ (?: blocking\ save | asynchronous\ save | async_save | load | restor ) ) ) ) )?
  (?(<time>) | (?: (?= .* "time(?:stamp)?"\s*:\s*"(?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) " ) )? )',
  'last', coalesce(:zone, 'UTC'), coalesce(:year, 1970));
-- Numbers may be written as 5,000.0. One without decimals at the very end of a line is cut off, as where a terminal wrapped it.
UPDATE training_lines SET step_seconds = replace(step_seconds, ',', '') + 0, tflops = replace(tflops, ',', '') + 0,
  tokens = replace(tokens, ',', '') + 0
WHERE 'text' IN (typeof(step_seconds), typeof(tflops), typeof(tokens));
-- Lines of no step are few: only theirs are taken apart.
UPDATE training_lines SET
  eval_step = json_extract(fields, '$.eval_step'), eval_seconds = replace(json_extract(fields, '$.eval_seconds'), ',', '') + 0,
  saved = json_extract(fields, '$.saved'), saving = json_extract(fields, '$.saving'),
  blocked = json_extract(fields, '$.blocked'), blocking = json_extract(fields, '$.blocking'), finished = json_extract(fields, '$.finished'),
  load_seconds = json_extract(fields, '$.load_seconds'), loaded = json_extract(fields, '$.loaded'),
  all_steps = json_extract(fields, '$.steps'), all_devices = json_extract(fields, '$.devices'), chip_name = json_extract(fields, '$.chip'),
  ended = CASE WHEN json_extract(fields, '$.reached') IS NOT NULL THEN 'completed'
               WHEN json_extract(fields, '$.preempted') IS NOT NULL THEN 'preempted'
               WHEN json_extract(fields, '$.aborted') IS NOT NULL THEN 'failed' END,
  fields = NULL
WHERE step IS NULL;
