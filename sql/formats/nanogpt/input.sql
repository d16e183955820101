-- nanogpt/input.sql - the input: lines of steps, evaluations, saves and what a run says of itself.
--
-- Reads log_trace. Makes training_lines, one row for each such line.
-- A part of nanogpt.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The input: "step:1/6200 ... train_time:...", "iter 10: loss ... ms", or "step 10/100 | loss ... ms" ----

-- What follows goes by rowid: lines of a file, and of a run, lie together. Numbers may be 1,000.0.
DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT step, iif(typeof(log_group(_record, 'total_ms')) = 'integer', log_group(_record, 'total_ms'),
                 replace(coalesce(log_group(_record, 'total_ms'), 1000 * log_group(_record, 'total_s')), ',', '') + 0) AS total_ms, _file AS file,
       log_group(_record, 'loss') AS loss, iif(log_group(_record, 'loss') IS NULL, log_group(_record, 'val_loss') IS NOT NULL, 0) AS validates,
       replace(coalesce(log_group(_record, 'ms'), 1000 * log_group(_record, 's')), ',', '') + 0 AS ms,
       coalesce(log_group(_record, 'steps'), log_group(_record, 'total') - 1) AS steps,
       time, _line AS line, iif(:only_relations IS NULL, log_group(_record, 'val_loss'), NULL) AS val_loss,
       iif(:only_relations IS NULL, log_group(_record, 'average_ms'), NULL) AS average_ms,
       iif(:only_relations IS NULL, log_group(_record, 'mfu'), NULL) AS mfu, iif(step IS NULL, fields, NULL) AS fields, NULL AS gpu,
       NULL AS chip, 0 AS is_save, NULL AS begun, NULL AS evaluated,
       log_group(_record, 'spliced') AS spliced, iif(step IS NULL, fields IS NULL, 0) AS is_tail
FROM log_trace(mpg_required(:log, ':log'), '(?x)
  (?: (?: (?<time> \d{4}-\d\d-\d\d (?<! iveTimestamp":"\d{4}-\d\d-\d\d | iveTimestamp":\ "\d{4}-\d\d-\d\d ) [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) .{0,300}? )? (?: ^ | (?<= [\s:|>\])",=\x27] ) | (?<= \d[mGK] | \[[mK] ) )
      (?: step: (?<step>\d+) / (?<steps>\d+) (?: \ train_loss: (?<loss>\S+) )? (?: \ val_loss: (?<val_loss>\S+) )? (?: (?! step:\d ) . )*? \ train_time: (?: (?<total_ms>[\d,]+) ms | (?<total_s>[\d.]+) s \b )
          (?: \ step_avg: (?<average_ms>[\d.]+|nan) ms )?
        | iter\ (?<step>\d+): \ loss\ (?<loss>[^,\s]+), (?: \ (?! time\b ) [^,]+ , ){0,8} \ time:?\ (?: (?<ms>[\d,.]+) ms | (?<s>[\d.]+) s \b ) (?: , \ mfu\ (?<mfu>-?[\d.]+) % )?
        | step:?\ +(?<step>\d+) (?: / (?<total>\d+)\ \( [^)]* \) | / (?<steps>\d+) | \ \( [^)]* \) )? \s* [|,:] \s* (?: train\  )? loss:? \ + (?<loss>[^\s|,(]+) .*? [|,()] \s* \(? (?: (?: dt | time ):\  | took\  )? (?<ms>\d[\d,.]*) \s? ms \b
          (?: .*? (?: (?<! [a-z] ) mfu: \s* (?<mfu>[\d.]+) | \b (?<mfu>[\d.]+) % \ (?: \w+\  )? MFU ) )? )
      (?(<time>) | (?: (?= .* "time(?:stamp)?"\s*:\s*"(?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) " ) )? )
  | (?: ^ | (?<= [\s:|>\])",=\x27] ) | (?<= \d[mGK] | \[[mK] ) )
      (?: step\ (?<evaluated>\d+): \ train\ loss\ [^,\s]+ (?: \ \( [^)]* \) )? \ ?[,|]\ val\ loss\ (?<val_loss> [\d.]+ | \S+ )
        | (?: saving\ checkpoint\ to | Saved\ model\ parameters\ to: | Writing\ checkpoint\ at\ step ) \ (?<saved>)
        | (?: Resuming\ training\ from | Resuming\ optimization\ from\ step | Initializing\ a\ new\ model\ from ) \ (?<begun>\S+)
        | (?: Distributed\ world\ size:\  | \|\ num_processes\ +\|\  ) (?<world>\d+)
        | \|\ device\ +\|\ (?<chip>\S.*?)\ +\|
        | GPU:\ (?<chip>NVIDIA\ \S.*?)\ \|\ Peak\ FLOPS
        | (?<time> (?: Mon|Tue|Wed|Thu|Fri|Sat|Sun )\ \w{3}\ [\ \d]\d\ \d\d:\d\d:\d\d\ \d{4} ) \s* $
        | \| \s+ (?<gpu>\d+) \s+ (?<chip>\S.*?) \s{2,} (?: On|Off ) \s+ \| ) )
  (?: (?= .* (?: iter\ (?<spliced>\d+): \ loss | step:? \ * 0* (?<spliced>\d+) (?: / \d+ )? \b .{0,60}? (?: loss | train_time )
    | (?<spliced> saving\ checkpoint\ to | Saved\ model\ parameters\ to: | Writing\ checkpoint\ at\ step ) ) ) )?',
  'last', coalesce(:zone, 'UTC'));
UPDATE training_lines SET gpu = coalesce(json_extract(fields, '$.gpu'), json_extract(fields, '$.world') - 1),
  chip = json_extract(fields, '$.chip'), is_save = json_extract(fields, '$.saved') IS NOT NULL, begun = json_extract(fields, '$.begun'),
  evaluated = json_extract(fields, '$.evaluated'), fields = NULL
WHERE step IS NULL;
