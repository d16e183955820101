-- lsf/inputs.sql - records of jobs, without what cannot be, and what is odd among them.
--
-- Reads lsf_trace. Makes lsf_records.
-- A part of lsf.sql, which says what the parameters are.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS lsf_records AS
SELECT event_type, event_time, job_id, idx, num_processors, submit_time, start_time, user_name, queue, job_name, project_name, j_status,
       exit_info, app, job_group_name, hosts, num_hosts, run_limit, cwd, out_file, err_file,
       res_req, effective_res_req, gpu_req, gpu_model, gpu_usage, outcome, slots, run_time,
       CASE WHEN event_type = 'JOB_RESIZE' THEN other END AS other, _file, _line,
       CASE WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots') THEN coalesce(slots, num_processors) ELSE gpus END AS held
FROM lsf_trace(mpg_required(:lsf, ':lsf'));

-- What cannot be: a time that is more than ten years from the middle one; its record counts as nothing.
DROP TABLE IF EXISTS temp.lsf_impossible;
CREATE TEMP TABLE lsf_impossible AS
WITH middle AS (SELECT mpg_median(event_time / 31556952) AS year FROM lsf_records)
SELECT r.rowid AS row, _file, _line, job_id FROM lsf_records AS r, middle
WHERE max(abs(event_time / 31556952 - year), abs(coalesce(submit_time / 31556952 - year, 0)),
          abs(coalesce(start_time / 31556952 - year, 0))) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'a time of job ' || coalesce(job_id, '?') || ' is more than ten years from the middle one: its record is left out'
FROM lsf_impossible GROUP BY _file;
DELETE FROM lsf_records WHERE rowid IN (SELECT row FROM lsf_impossible);
DROP TABLE lsf_impossible;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_record', min(_line), count(*),
       'records of types that are not known: left out: ' || group_concat(DISTINCT event_type)
         || iif(max(event_type = 'JOB_FINISH2'), ' (of lsb.stream: copy lsb.acct too)', '')
FROM lsf_records
WHERE event_type NOT IN ('JOB_FINISH', 'JOB_NEW', 'JOB_START', 'JOB_STATUS', 'JOB_RESIZE', 'JOB_START_ACCEPT', 'JOB_EXECUTE', 'JOB_CLEAN',
  'JOB_SWITCH', 'JOB_MOVE', 'JOB_MODIFY', 'JOB_MODIFY2', 'JOB_REQUEUE', 'JOB_SIGNAL',
  'JOB_ACCEPT', 'JOB_FORWARD', 'JOB_FORCE', 'JOB_CHUNK', 'JOB_SIGACT', 'JOB_EXTERNAL_MSG', 'JOB_ATTA_DATA', 'JOB_MSG', 'JOB_MSG_ACK',
  'JOB_EXT_MSG', 'JOB_ARRAY_ELEMENT', 'JOB_PRE_EXEC', 'JOB_STATUS2', 'JOB_SWAP',
  'JOB_RESIZE_NOTIFY_START', 'JOB_RESIZE_NOTIFY_ACCEPT', 'JOB_RESIZE_NOTIFY_DONE', 'JOB_RESIZE_RELEASE', 'JOB_RESIZE_CANCEL',
  'JOB_PROV_HOST', 'JOB_RC_DEMAND', 'JOB_AFFINITY', 'JOB_UPDATE_STATUS', 'JOB_RUN_RUSAGE', 'JOB_RELEASE',
  'JGRP_NEW', 'JGRP_ADD', 'JGRP_MOD', 'JGRP_DEL', 'JGRP_CNT', 'JGRP_CTRL', 'QUEUE_CTRL', 'HOST_CTRL', 'LOG_SWITCH', 'EVENT_ADRSV_FINISH',
  'MBD_START', 'MBD_DIE', 'MBD_UNFULFILL', 'SBD_JOB_STATUS', 'SBD_UNREPORTED_STATUS',
  'LOAD_INDEX', 'MIG', 'CHKPNT', 'PRE_EXEC_START', 'UNFULFILL', 'ADRSV_FINISH', 'HOST_POWER_STATUS', 'CPUPROFILE', 'METRIC_LOG',
  'METRICS_LOG', 'QC', 'SIGACT', 'LEASE_PARAM', 'ALERT')
GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', min(_line), count(*),
       'unknown states of jobs, taken as no end: ' || group_concat(DISTINCT j_status)
FROM lsf_records WHERE (event_type = 'JOB_FINISH' AND NOT (j_status & 96)) OR (event_type = 'JOB_STATUS' AND j_status & ~(0x1007F | 0xFF80))
  OR j_status <= 0 GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       event_type || ' of job ' || coalesce(job_id, '?') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT _file, _line, event_type, job_id,
             CASE WHEN job_id IS NULL THEN 'jobId' WHEN event_type = 'JOB_FINISH' AND j_status IS NULL THEN 'jStatus'
                  WHEN event_type IN ('JOB_FINISH', 'JOB_NEW') AND submit_time IS NULL THEN 'submitTime'
                  WHEN event_type = 'JOB_FINISH' AND start_time IS NOT NULL AND num_hosts IS NULL THEN 'execHosts'
                  WHEN event_type = 'JOB_FINISH' AND start_time IS NULL AND num_hosts IS NOT NULL THEN 'startTime'
                  WHEN event_type IN ('JOB_FINISH', 'JOB_START') AND effective_res_req IS NULL
                    AND EXISTS (SELECT 1 FROM lsf_records
                                WHERE effective_res_req IS NOT NULL
                                  AND event_type IN ('JOB_FINISH', 'JOB_NEW', 'JOB_START', 'JOB_STATUS')) THEN 'effectiveResReq' END AS field
      FROM lsf_records WHERE event_type IN ('JOB_FINISH', 'JOB_NEW', 'JOB_START', 'JOB_STATUS'))
WHERE field IS NOT NULL GROUP BY _file, event_type, field;
-- GPUs that are asked for without a number that can be told, and chips of another vendor by a name that a site gave.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', min(_line), count(DISTINCT job_id),
       'job ' || min(job_id) || ' and others ask for chips, or used some, that do not count: '
         || substr(coalesce(max(effective_res_req), max(res_req), 'no requirement'), 1, 120)
FROM lsf_records
WHERE gpu_req = 'unknown' OR (gpu_req IS NULL AND gpu_usage IS NOT NULL AND (:chips IN ('cpus', 'ncpus', 'ncores', 'slots')) IS NOT TRUE)
  OR (gpu_req IS NULL AND (:chips IN ('cpus', 'ncpus', 'ncores', 'slots')) IS NOT TRUE AND EXISTS (
  SELECT 1 FROM (SELECT substr(lower(r), instr(lower(r), 'rusage[')) AS words
                 FROM (SELECT coalesce(effective_res_req, '') || coalesce(res_req, '') AS r) WHERE instr(lower(r), 'rusage['))
  WHERE words GLOB '*gpu*' OR words GLOB '*npu*' OR words GLOB '*tpu*' OR words GLOB '*xpu*' OR words GLOB '*mlu*' OR words GLOB '*dcu*'
    OR words GLOB '*hpu*' OR words GLOB '*ascend*' OR words GLOB '*accel*'))
GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'guessed_share', min(_line), count(DISTINCT job_id),
       'jobs on slices of GPUs (mig) or on GPUs that others share (ngpus_shared), such as ' || min(job_id) || ': each counts as a chip'
FROM lsf_records WHERE held > 0 AND (:chips IN ('cpus', 'ncpus', 'ncores', 'slots')) IS NOT TRUE
  AND (coalesce(effective_res_req, res_req) LIKE '%:mig=%' OR coalesce(effective_res_req, res_req) LIKE '%ngpus_shared=%') GROUP BY _file;
