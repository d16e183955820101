-- kube/fractions.sql - parts of GPUs that annotations tell: of KAI, Run:ai and HAMi; and labels that count the GPUs of a node.
--
-- Reads and changes kube_objects: chips, resource and share.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- Fractions of GPUs by annotation (KAI scheduler, Run:ai). Such a pod names no resource: a pod of the scheduler holds the GPU for it, and
-- is nobody's job. A share by memory (gpu-memory, in MiB) is what Run:ai says; else a part of the memory that a label of the node has, or
-- that all nodes have alike; else it is listed. The annotations of a job's pods are in its templates.
CREATE INDEX temp.kube_named ON kube_objects(namespace, name, kind);
WITH memory AS (SELECT name, CAST(json_extract(labels, '$."nvidia.com/gpu.memory"') AS REAL) AS mib
                FROM kube_objects WHERE kind = 'Node' AND json_extract(labels, '$."nvidia.com/gpu.memory"') > 0 GROUP BY name)
UPDATE kube_objects
SET chips = coalesce(CAST(json_extract(annotations, '$."gpu-fraction"') AS REAL)
                       * coalesce(CAST(json_extract(annotations, '$."gpu-fraction-num-devices"') AS INTEGER), 1),
                     nullif(CAST(json_extract(annotations, '$."runai-allocated-gpus"') AS REAL), 0),
                     round(min(1, CAST(json_extract(annotations, '$."gpu-memory"') AS REAL)
                                 / coalesce((SELECT m.mib FROM memory AS m WHERE m.name = nodeName),
                                            (SELECT CASE WHEN min(m.mib) = max(m.mib) THEN min(m.mib) END FROM memory AS m)))
                           * coalesce(CAST(json_extract(annotations, '$."gpu-fraction-num-devices"') AS INTEGER), 1), 6)),
  resource = 'nvidia.com/gpu'
WHERE kind = 'Pod' AND coalesce(chips, 0) = 0 AND (CAST(json_extract(annotations, '$."gpu-fraction"') AS REAL) BETWEEN 1e-6 AND 1
                                                   OR (json_extract(annotations, '$."gpu-fraction"') IS NULL
                                                       AND CAST(json_extract(annotations, '$."gpu-memory"') AS REAL) > 0));
WITH parts AS (
  SELECT o.rowid AS row, pods AS each, json_extract(spec, '$.template.metadata.annotations') AS words,
         coalesce(json_extract(spec, '$.completions'), 0) > coalesce(json_extract(spec, '$.parallelism'), 1) AS one
  FROM kube_objects AS o WHERE kind <> 'Pod' AND coalesce(chips, 0) = 0 AND instr(spec, '"gpu-fraction"')
  UNION ALL
  SELECT o.rowid, coalesce(json_extract(r.value, '$.replicas'), 1), json_extract(r.value, '$.template.metadata.annotations'), 0
  FROM kube_objects AS o, json_each(o.spec) AS k, json_each(k.value) AS r
  WHERE kind <> 'Pod' AND coalesce(chips, 0) = 0 AND instr(spec, '"gpu-fraction"') AND k.key LIKE '%ReplicaSpecs' AND r.type = 'object'
),
known AS (
  SELECT row, each, one, CAST(json_extract(words, '$."gpu-fraction"') AS REAL)
    * coalesce(CAST(json_extract(words, '$."gpu-fraction-num-devices"') AS INTEGER), 1) AS chips
  FROM parts WHERE CAST(json_extract(words, '$."gpu-fraction"') AS REAL) BETWEEN 1e-6 AND 1
)
UPDATE kube_objects SET chips = s.chips, min_chips = s.least, resource = 'nvidia.com/gpu'
FROM (SELECT row, sum(chips * each) AS chips, CASE WHEN max(one) THEN max(chips) END AS least FROM known GROUP BY row) AS s
WHERE s.row = kube_objects.rowid;
UPDATE kube_objects SET chips = NULL WHERE kind = 'Pod' AND namespace IN ('kai-resource-reservation', 'runai-reservation');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', NULL, count(DISTINCT uid),
       'gpu-memory or gpu-fraction of ' || group_concat(DISTINCT namespace || '/' || name)
         || ': not counted: its share of a chip is not known'
FROM kube_objects
WHERE kind = 'Pod' AND coalesce(chips, 0) = 0
  AND coalesce(json_extract(annotations, '$."gpu-memory"'), json_extract(annotations, '$."gpu-fraction"')) IS NOT NULL
GROUP BY _file;

-- HAMi offers each GPU several times under its own name; annotations say which GPUs a node has, and what memory (MiB) and cores (%) of them
-- a pod got.
DROP TABLE IF EXISTS temp.kube_hami;
CREATE TEMP TABLE kube_hami AS
SELECT rowid AS row, kind, CASE
                                WHEN kind = 'Pod' THEN '["' || replace(replace(json_extract(annotations,
                                    '$."hami.io/vgpu-devices-allocated"'), ';', ''), ':', '","') || '"]'
                                ELSE json_extract(annotations, '$."hami.io/node-nvidia-register"') END AS told
FROM kube_objects WHERE kind IN ('Pod', 'Node') AND chips > 0 AND instr(annotations, '"hami.io/');
UPDATE kube_objects SET share = round(n.gpus / chips, 6)
FROM (SELECT row, CASE WHEN json_valid(told) THEN json_array_length(told) ELSE length(told) - length(replace(told, ':', '')) END AS gpus
      FROM kube_hami WHERE kind = 'Node') AS n WHERE n.row = kube_objects.rowid AND share = 1 AND n.gpus > 0 AND n.gpus < chips;
WITH gpus AS (
  SELECT json_extract(g.value, '$.id') AS id, max(json_extract(g.value, '$.devmem')) AS mib
  FROM kube_hami AS h, json_each(CASE WHEN json_valid(h.told) THEN h.told ELSE '[]' END) AS g
  WHERE kind = 'Node' AND g.type = 'object' GROUP BY 1
),
parts AS (SELECT row, '["' || replace(d.value, ',', '","') || '"]' AS part
          FROM kube_hami AS h, json_each(CASE WHEN json_valid(h.told) THEN h.told ELSE '[]' END) AS d
          WHERE kind = 'Pod' AND instr(d.value, ','))
UPDATE kube_objects SET share = p.held / chips
FROM (SELECT row, sum(min(1, max(coalesce(json_extract(part, '$[2]') * 1.0 / mib, 0),
                                 coalesce(json_extract(part, '$[3]') / 100.0, 0)))) AS held
      FROM (SELECT row, CASE WHEN json_valid(part) THEN part ELSE '[]' END AS part FROM parts)
      LEFT JOIN gpus ON id = json_extract(part, '$[0]') GROUP BY row) AS p WHERE p.row = kube_objects.rowid AND held > 0;
-- A pod without that annotation, as one that waits, asks for them by its resources, for each GPU: memory (gpumem in MiB, or in per cent),
-- without which it gets all of a GPU, and cores.
WITH nodes AS (
  SELECT o.name, min(json_extract(g.value, '$.devmem')) AS mib, max(json_extract(g.value, '$.devmem')) AS most
  FROM kube_hami AS h JOIN kube_objects AS o ON o.rowid = h.row, json_each(CASE WHEN json_valid(h.told) THEN h.told ELSE '[]' END) AS g
  WHERE h.kind = 'Node' AND g.type = 'object' GROUP BY o.name
),
every AS (SELECT min(mib) AS mib, max(most) AS most FROM nodes
          WHERE NOT EXISTS (SELECT 1 FROM kube_objects WHERE kind = 'Node' AND chips > 0 AND name NOT IN (SELECT name FROM nodes))),
asked AS (
  SELECT o.rowid AS row, n.mib, n.most,
         coalesce(json_extract(c.value, '$.resources.limits'), json_extract(c.value, '$.resources.requests')) AS words
  FROM kube_objects AS o JOIN (SELECT name, mib, most FROM nodes UNION ALL SELECT NULL, mib, most FROM every WHERE mib IS NOT NULL) AS n
    ON n.name IS o.nodeName, json_each(o.spec, '$.containers') AS c
  WHERE EXISTS (SELECT 1 FROM nodes) AND o.kind = 'Pod' AND o.share IS NULL AND o.resource = 'nvidia.com/gpu' AND c.type = 'object'
),
parts AS (
  SELECT row, json_extract(words, '$."nvidia.com/gpu"') + 0 AS gpus,
         max(coalesce(json_extract(words, '$."nvidia.com/gpucores"') / 100.0, 0),
         CASE WHEN json_extract(words, '$."nvidia.com/gpumem"') + 0 > 0
                THEN iif(mib = most, json_extract(words, '$."nvidia.com/gpumem"') * 1.0 / mib, 1)
              WHEN json_extract(words, '$."nvidia.com/gpumem-percentage"') + 0 > 0
                THEN json_extract(words, '$."nvidia.com/gpumem-percentage"') / 100.0 ELSE 1 END) AS part
  FROM asked
)
UPDATE kube_objects SET share = p.held / chips FROM (SELECT row, sum(gpus * min(part, 1)) AS held FROM parts GROUP BY row) AS p
WHERE p.row = kube_objects.rowid AND held > 0 AND chips > 0;
DROP TABLE kube_hami;

-- A device plugin that offers each GPU several times may leave it to other labels to say so: those that count the GPUs that are there, of
-- Karpenter, CoreWeave, and for each of Intel's models. One more than these is no share: a label may be ahead of the plugin.
WITH counted AS (
  SELECT rowid AS row, CAST(chips AS INTEGER) AS offered,
         CASE WHEN resource GLOB 'gpu.intel.com/*'
                THEN (SELECT sum(CAST(value AS INTEGER)) FROM json_each(labels) WHERE key GLOB 'gpu.intel.com/device-id.*.count')
              ELSE CAST(coalesce(json_extract(labels, '$."karpenter.k8s.aws/instance-gpu-count"'),
                                 json_extract(labels, '$."eks.amazonaws.com/instance-gpu-count"'),
                                 json_extract(labels, '$."karpenter.azure.com/sku-gpu-count"'),
                                 json_extract(labels, '$."gpu.nvidia.com/count"')) AS INTEGER) END AS gpus
  FROM kube_objects
  WHERE kind = 'Node' AND chips > 0 AND share = 1 AND instr(labels, 'count"') AND instr(coalesce(resources, ''), '/mig-') = 0
    AND (resource GLOB 'nvidia.com/gpu*' OR resource = 'amd.com/gpu' OR resource GLOB 'gpu.intel.com/*')
)
UPDATE kube_objects SET share = 1.0 / ((c.offered + c.gpus - 1) / c.gpus) FROM counted AS c
WHERE c.row = kube_objects.rowid AND c.gpus > 0 AND c.offered >= 2 * c.gpus;
