-- kube.sql - from objects of Kubernetes (kubectl get -o json, kubectl get -w) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :kube sure (?s)\A(?!\s*\{.{0,300}?"apiVersion"\s*:\s*"audit\.k8s\.io/)(?!\s*\[?\s*\{.{0,1000}?"protoPayload"\s*:)\s*[\[{].*"apiVersion"\s*:\s*"(?:v1|[\w.-]+/v\d\w*)"
--@ extends outage_reasons
--@ input :kube_state sure (?s)\A\s*[\[{].*"metric"\s*:.*"__name__"\s*:\s*"kube_(?:pod|node)_
--@ input :kube_state sure (?s)\A(?:\s*#[^\n]*\n|\s)*[A-Za-z_:](?:.*^)?kube_(?:pod|node)_\w+\{
--@ input :kube_state sure (?s)\A\{__name__="(?:.*^\{__name__=")?kube_(?:pod|node)_
--@ uses formats/kube_state
--@ hint (?s)\A\s*\{.{0,300}?"apiVersion"\s*:\s*"audit\.k8s\.io/ => an audit log of Kubernetes, which tells of requests: record the objects with kubectl get -w -o json
--@ hint (?s)\A\s*\[?\s*\{.{0,1000}?"protoPayload"\s*:.{0,9000}?"(?:k8s\.io|io\.k8s\.) => an audit log of Kubernetes in Cloud Logging, which tells of requests: record the objects with kubectl get -w -o json
--@ hint (?s)\A\s*[\[{](?=.{0,9000}?"api_version"\s*:)(?=.{0,9000}?"creation_timestamp"\s*:) => objects of Kubernetes with keys of its Python client: export them with kubectl get -o json, or by the client's sanitize_for_serialization
--@ hint \A(?:[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ [^\n]*\n|(?:Warning|Error from server[^\n:]*|Unable to [^\n:]*): [^\n]*\n)+\s*\{\s*"(?:apiVersion|type)" => kubectl's messages, and JSON behind them: export its output alone, without 2>&1
--@ hint (?s)\A\s*\{\s*"metadata"\s*:\s*\{(?=.{0,9000}?"items"\s*:\s*\[)(?=.{0,60000}?"(?:containers|nodeInfo|podIP)"\s*:) => objects of Kubernetes without their kind, as client-go writes a list: export them with kubectl get -o json
--@ hint \A(?:---\n)?apiVersion: => objects of Kubernetes as YAML: export them with kubectl get -o json
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :kube fixtures/kube/watch.json
--     .read sql/formats/kube.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters: :kube is a path, glob or folder of listings and watch logs, :kube_state of metrics, for which kube_state.sql runs first
-- (one of the two may be unset); :pool may name the label of nodes
-- whose values are the pools (else the node pool's label of the cloud, or the machine type).
--
-- From a program that cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE kube_objects AS SELECT *, _file FROM kube_trace('trace/');
--
-- Makes the TEMP tables capacity, outages, jobs, allocations and observed, which mpg_ledger and mpg_rollup then find, and
-- aliases, the other names of jobs.
-- The input is dropped at the end. The rules are explained in docs/formats/kube.md.

.read sql/formats/kube/inputs.sql
.read sql/formats/kube/objects.sql
.read sql/formats/kube/fractions.sql
.read sql/formats/kube/versions.sql
.read sql/formats/kube/claims.sql
.read sql/formats/kube/products.sql
.read sql/formats/kube/pods.sql
.read sql/formats/kube/jobs.sql
.read sql/formats/kube/allocations.sql
.read sql/formats/kube/remade.sql
.read sql/formats/kube/capacity.sql
.read sql/formats/kube/observed.sql

-- ---- 9. What else a job goes by: the names of its pods, alone and with the namespace, its objects' UIDs, and SkyPilot's own name of a
-- cluster, to which it adds its user's hash in the label ----

DROP TABLE IF EXISTS temp.hosts; -- as Slurm may name its nodes
CREATE TEMP TABLE hosts(host, job, start_time, end_time);
INSERT INTO hosts(host) SELECT DISTINCT name FROM kube_last WHERE kind = 'Node' AND chips > 0;
DROP VIEW IF EXISTS temp.held_on;
CREATE TEMP VIEW held_on AS SELECT job, json_array(node) AS hosts, start_time, end_time FROM kube_held;
.read sql/formats/log/on_hosts.sql

DROP TABLE IF EXISTS temp.aliases;
CREATE TEMP TABLE aliases AS
WITH named AS MATERIALIZED (SELECT DISTINCT job, uid, kind, namespace, name FROM kube_last WHERE job IN (SELECT job FROM jobs))
SELECT job, uid AS alias FROM named WHERE uid <> job
UNION ALL
SELECT job, name FROM named WHERE kind = 'Pod'
UNION ALL
SELECT job, namespace || '/' || name FROM named WHERE kind = 'Pod' AND namespace || '/' || name <> job
UNION ALL
SELECT DISTINCT job, json_extract(annotations, '$."skypilot-cluster-name"') FROM kube_last
WHERE kind = 'Pod' AND annotations LIKE '%"skypilot-cluster-name"%' AND job IN (SELECT job FROM jobs);

-- ---- 10. Tables that are no longer needed ----

DROP TABLE kube_withdrawn;
DROP TABLE kube_beside;
DROP TABLE kube_down;
DROP TABLE kube_states;
DROP TABLE kube_admitted;
DROP TABLE kube_untimed;
DROP TABLE kube_attempts;
DROP TABLE kube_evictions;
DROP TABLE kube_occupied;
DROP TABLE kube_parts;
DROP TABLE kube_sharing;
DROP TABLE kube_shared;
DROP TABLE kube_held;
DROP TABLE kube_nodes;
DROP TABLE kube_periods;
DROP TABLE kube_claimed;
DROP TABLE kube_every;
DROP TABLE kube_asked;
DROP TABLE kube_given;
DROP TABLE kube_devices;
DROP TABLE kube_drivers;
DROP TABLE kube_products;
DROP TABLE kube_last;
DROP TABLE kube_anew;
DROP TABLE kube_gone;
DROP TABLE kube_covered;
DROP TABLE kube_listings;
DROP TABLE kube_told;
DROP TABLE kube_rays;
DROP TABLE kube_ends;
DROP TABLE kube_events;
DROP TABLE kube_objects;
