-- unread/tables.sql - what commands of schedulers print for people.
--
-- A part of unread.sql.

--@ hint (?m)\A\s*-- (?:Schedd|Submitter|Quill): [^\n]+$ => a table of condor_q: export it with condor_q -json, and jobs that left with condor_history -json
--@ hint \A\s*ID\s+OWNER\s+SUBMITTED\s+RUN_TIME\s+ST\s => a table of condor_history: export it with condor_history -json
--@ hint \A\s*Name\s+OpSys\s+Arch\s+State\s+Activity\s => a table of condor_status: write what is installed to capacity.csv
--@ hint \A\s*Job: \d[\w.\[\]-]*\s*\n\s*\n\d\d/\d\d/\d{4} [\d:.]+\s+[A-Z]\s => what tracejob of PBS prints of a job: copy the server's accounting logs
--@ hint \A\s*Job ID: \d+\n(?:Array Job ID: [^\n]*\n)?(?:Cluster|User/Group|State): => what seff prints of a job: export sacct -P
--@ hint (?i)\A\s*active jobs-{6,}\s*\nJOB(?:ID|NAME)\s+USERNAME\s+STATE\s => a table of showq, which is of one moment: copy the accounting logs of the server below it
