-- described.sql - what options say of the jobs of a source whose files are read with another's.
--
-- Runs after those sources are read again: without_nodes.sql.

UPDATE all_jobs
SET phase = coalesce((SELECT value FROM described AS d WHERE d.source = all_jobs.source AND d.job = all_jobs.job AND key = 'phase'), phase),
    framework = coalesce((SELECT value FROM described AS d WHERE d.source = all_jobs.source AND d.job = all_jobs.job AND key = 'framework'),
                         framework),
    runtime = coalesce((SELECT value FROM described AS d WHERE d.source = all_jobs.source AND d.job = all_jobs.job AND key = 'runtime'),
                       runtime),
    model = coalesce((SELECT value FROM described AS d WHERE d.source = all_jobs.source AND d.job = all_jobs.job AND key = 'model'), model),
    owner = coalesce((SELECT value FROM described AS d WHERE d.source = all_jobs.source AND d.job = all_jobs.job AND key = 'owner'), owner),
    name = coalesce((SELECT value FROM described AS d WHERE d.source = all_jobs.source AND d.job = all_jobs.job AND key = 'name'), name),
    priority = coalesce((SELECT value FROM described AS d WHERE d.source = all_jobs.source AND d.job = all_jobs.job AND key = 'priority'),
                        priority)
WHERE job IN (SELECT job FROM described);
