-- join/no_record.sql - sources that gave nothing. A part of join.sql and alone.sql.

-- A source whose format is known and that gave no record at all: its lines may end in another way than its format has them. A scheduler's
-- may be of jobs that ask for no chips.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(f.path), 'warning', 'no_record', NULL, count(*),
       'of the format ' || s.format
         || CASE WHEN s.format IN ('pbs', 'flux') THEN ', but no record of it asks for GPUs: if jobs get whole nodes give the option '
                        || 'chips_per_node, if processors are the chips give chips'
                 WHEN s.format IN ('lsf', 'sge', 'condor') THEN ', but no record of it asks for GPUs: if slots are the chips give the option chips'
                        || iif(s.format = 'sge', ', if another complex is how they are requested give resource', '')
                 WHEN s.format IN ('slurm', 'kube') THEN ', but no record of it tells of chips'
                 ELSE ', but no record of it was found' END
FROM source AS s JOIN file AS f USING (source)
WHERE coalesce((SELECT sum(value) FROM json_each(s.records)), 0) = 0 GROUP BY s.source;
