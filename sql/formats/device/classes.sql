-- device/classes.sql - the class of what devices did, and of communication which collective it is, by its kind and name.
--
-- Reads device_names(kind, name, hlo_category, told), where told is the class that the profile itself tells, or NULL, and drops it;
-- and device_class_rules. Makes device_classes, which is device_names with class and collective.
-- A part of the scripts of profiles, which say what the parameters are.

-- An instruction's category says what its name may not: "fusion.7" can be an all-reduce. Rules 60 to 98 go by HLO's opcodes.
DROP TABLE IF EXISTS temp.device_classes;
CREATE TEMP TABLE device_classes AS
WITH classes AS (
  SELECT *, lower(name) || ' ' || coalesce(lower(hlo_category), '') AS words,
         coalesce(told, (SELECT class FROM device_class_rules AS r
                         WHERE n.kind GLOB r.kind
                           AND (lower(n.name) GLOB lower(r.name) AND (r.priority NOT BETWEEN 60 AND 98 OR n.hlo_category IS NULL
                                OR NOT (n.hlo_category GLOB '*fusion*' OR n.hlo_category GLOB 'convolution*' OR n.hlo_category GLOB 'dot*'))
                                OR lower(n.hlo_category) GLOB lower(r.name))
                         ORDER BY r.priority LIMIT 1)) AS class
  FROM device_names AS n
)
SELECT kind, name, hlo_category, told, class,
       CASE
         WHEN class IS NOT 'communication' THEN NULL
         WHEN words GLOB '*reduce-scatter*' OR words GLOB '*reduce_scatter*' OR words GLOB '*reducescatter*' THEN 'reduce_scatter'
         WHEN words GLOB '*all-reduce*' OR words GLOB '*all_reduce*' OR words GLOB '*allreduce*' THEN 'allreduce'
         WHEN words GLOB '*cross_device_reduce*' THEN 'allreduce' -- vLLM's own
         WHEN words GLOB '*all-gather*' OR words GLOB '*all_gather*' OR words GLOB '*allgather*' THEN 'allgather'
         WHEN words GLOB '*all-to-all*' OR words GLOB '*all_to_all*' OR words GLOB '*alltoall*'
           OR words GLOB '*all2all*' THEN 'alltoall'
         WHEN words GLOB '*collective-permute*' THEN 'collective_permute'
         WHEN words GLOB '*broadcast*' THEN 'broadcast'
         WHEN words GLOB '*sendrecv*' OR words GLOB 'hc*send*' OR words GLOB 'hc*rec[ev]*' THEN 'sendrecv'
         WHEN words GLOB '*ccl*reduce*' OR words GLOB 'hcom_*reduce*' THEN 'reduce'
       END AS collective
FROM classes;
DROP TABLE device_names;
CREATE INDEX temp.device_class_of ON device_classes(kind, name);
