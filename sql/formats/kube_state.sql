-- kube_state.sql - from metrics of kube-state-metrics (samples of Prometheus) to objects of Kubernetes as kube.sql reads them.
--
-- Runs before kube.sql, which names its input. In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :kube_state fixtures/kube/state.json
--     .read sql/formats/kube_state.sql
--     .read sql/formats/kube.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Makes the TEMP table kube_state_objects: a version of a node for each change, a row for each pod and job, as a watch would have
-- shown them. A sample says what is so at one moment. What changed between two of them is so from the later one on, unless a
-- metric of the first says when. What was before the first sample is not known, and not guessed. docs/formats/kube.md has the rules.

--@ if :kube_state IS NOT NULL
.read sql/formats/kube_state/samples.sql
.read sql/formats/kube_state/lives.sql
.read sql/formats/kube_state/objects.sql

-- What the sampling cannot know.
DROP TABLE IF EXISTS temp.source_told;
CREATE TEMP TABLE source_told AS
SELECT NULL AS path, 'kube_state' AS parameter, 'interval' AS what,
       'samples ' || seconds || ' s apart: what starts and ends is known to that, what does both between two of them not at all' AS told
FROM kube_state_spacing WHERE last IS NOT NULL;

DROP TABLE kube_state_ends;
DROP TABLE kube_state_jobs;
DROP TABLE kube_state_owners;
DROP TABLE kube_state_held;
DROP TABLE kube_state_pod_lives;
DROP TABLE kube_state_pods;
DROP TABLE kube_state_asked;
DROP TABLE kube_state_requests;
DROP TABLE kube_state_node_lives;
DROP TABLE kube_state_nodes;
DROP TABLE kube_state_told;
DROP TABLE kube_state_makers;
DROP TABLE kube_state_resources;
DROP TABLE kube_state_spacing;
DROP TABLE kube_state_scrapes;
DROP TABLE kube_state_samples;
--@ end
