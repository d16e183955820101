-- kube/claims.sql - devices of resource claims (DRA): what drivers offer, what claims ask for and were given.
--
-- Reads kube_objects. Makes kube_devices, kube_given, kube_asked and kube_claimed, and writes what pods, jobs and nodes have by
-- claims into the columns chips and resource of kube_objects and kube_last.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- ---- 2. Devices of resource claims (DRA) ----

-- Drivers whose devices are chips, or parts of chips.
DROP TABLE IF EXISTS temp.kube_drivers;
CREATE TEMP TABLE kube_drivers(driver, resource);
INSERT INTO kube_drivers VALUES ('gpu.nvidia.com', 'nvidia.com/gpu'), ('gpu.amd.com', 'amd.com/gpu'), ('tpu.google.com', 'google.com/tpu'),
                                ('neuron.aws.com', 'aws.amazon.com/neuron'), ('gaudi.intel.com', 'habana.ai/gaudi'),
  ('gpu.intel.com', 'gpu.intel.com/xe');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', NULL, count(*),
       'claims that were given devices of drivers whose devices count as nothing: ' || group_concat(DISTINCT driver)
FROM (SELECT DISTINCT l._file, l.uid, json_extract(iif(r.type = 'object', r.value, '{}'), '$.driver') AS driver
      FROM kube_last AS l, json_each(l.status, '$.allocation.devices.results') AS r WHERE l.kind = 'ResourceClaim')
WHERE driver NOT IN (SELECT driver FROM kube_drivers)
  AND (driver LIKE '%gpu%' OR driver LIKE '%npu%' OR driver LIKE '%tpu%' OR driver LIKE '%xpu%' OR driver LIKE '%dcu%'
       OR driver LIKE '%gcu%' OR driver LIKE '%mlu%'
   OR driver LIKE '%accel%' OR driver LIKE '%ascend%' OR driver LIKE '%neuron%' OR driver LIKE '%gaudi%') GROUP BY _file;

-- What drivers offer: a device for each chip, and one for each part that it could be cut into. A MIG device counts as its share of compute
-- slices, a partition of AMD's as one of as many as there are. A device that is no longer offered counts until then. A pool counts its
-- generations anew after its slices have been deleted.
DROP TABLE IF EXISTS temp.kube_devices;
CREATE TEMP TABLE kube_devices AS
WITH devices AS (
  SELECT s.rowid AS version, l.event IS 'DELETED' AS deleted, s.rowid = l.version AS newest, s.spec,
         iif(d.type = 'object', d.value, '{}') AS d
  FROM kube_objects AS s JOIN kube_last AS l ON l.kind = s.kind AND l.uid = s.uid, json_each(s.spec, '$.devices') AS d
  WHERE s.event IS NOT 'BOOKMARK' AND s.kind = 'ResourceSlice' AND json_extract(s.spec, '$.driver') IN (SELECT driver FROM kube_drivers)
),
offered AS (
  SELECT version, deleted, newest, coalesce(json_extract(d, '$.taints'), json_extract(d, '$.basic.taints')) AS taints,
         json_extract(spec, '$.driver') AS driver, json_extract(spec, '$.pool.name') AS pool,
         CAST(json_extract(spec, '$.pool.generation') AS INTEGER) AS generation,
         coalesce(json_extract(d, '$.nodeName'), json_extract(spec, '$.nodeName')) AS node, json_extract(d, '$.name') AS device,
         coalesce(json_extract(d, '$.attributes'), json_extract(d, '$.basic.attributes')) AS told,
         coalesce(json_extract(d, '$.capacity'), json_extract(d, '$.basic.capacity')) AS capacity
  FROM devices
),
named AS (
  SELECT *, rank() OVER (PARTITION BY driver, pool ORDER BY deleted, generation DESC) = 1 AND newest AS now,
         row_number() OVER (PARTITION BY driver, pool, device ORDER BY deleted, generation DESC, version DESC) AS age,
         json_extract(told, '$.type.string') AS type,
         coalesce(json_extract(told, '$.profile.string'), json_extract(told, '$.partitionProfile.string')) AS profile,
         coalesce(json_extract(told, '$.productName.string'), json_extract(told, '$.accelerator.string'),
                  json_extract(told, '$.instanceType.string'), json_extract(told, '$.model.string')) AS product,
         coalesce(json_extract(told, '$."resource.kubernetes.io/pciBusID".string'), json_extract(told, '$.pcieBusID.string'),
                  json_extract(told, '$.pciAddr.string'),
                  json_extract(told, '$.parentUUID.string'), json_extract(told, '$.uuid.string'), device) AS chip
  FROM offered
)
SELECT driver, pool, node, device, now, taints, product, chip, CAST(json_extract(capacity, '$.shares.value') AS INTEGER) AS shares,
       CASE type WHEN 'mig' THEN CAST(profile AS INTEGER) / CASE WHEN product LIKE '%A30%' OR product LIKE '%RTX PRO%' THEN 4.0 ELSE 7.0 END
                 WHEN 'amdgpu-partition' THEN 1.0
              / coalesce(CAST(json_extract(capacity, '$.partitions.value') AS INTEGER),
                         count(*) OVER (PARTITION BY driver, pool, chip, type, profile))
                 ELSE 1 END AS chips
FROM named
WHERE age = 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'uncounted_resource', NULL, count(DISTINCT driver || node || chip),
       'devices that are offered no more, the first ' || min(device) || ' of ' || min(node)
         || ': since when no record says, so they count as never there'
FROM kube_devices AS d WHERE NOT now AND node IS NOT NULL
  AND EXISTS (SELECT 1 FROM kube_devices AS o WHERE o.node = d.node AND o.driver = d.driver AND o.now)
  AND NOT EXISTS (SELECT 1 FROM kube_devices AS o WHERE o.node = d.node AND o.driver = d.driver AND o.chip = d.chip AND o.now)
GROUP BY NULL;
CREATE INDEX temp.kube_device ON kube_devices(driver, pool, device);
CREATE INDEX temp.kube_devices_of ON kube_devices(node);

-- What claims were given, by the last version in which they had something. If several claims share a device, each has what it took, else
-- an equal part. A MIG device that is in no slice has its size in its name, or the number that NVIDIA gives to its profile.
DROP TABLE IF EXISTS temp.kube_given;
CREATE TEMP TABLE kube_given AS
WITH claims AS (
  SELECT namespace, name, uid, creationTimestamp AS made, status,
         row_number() OVER (PARTITION BY namespace, name, uid ORDER BY CAST(resourceVersion AS INTEGER) DESC, rowid DESC) AS age
  FROM kube_objects
  WHERE kind = 'ResourceClaim' AND event IS NOT 'BOOKMARK' AND json_array_length(status, '$.allocation.devices.results') > 0
),
given AS (
  SELECT namespace, name, uid, made, iif(r.type = 'object', r.value, '{}') AS r
  FROM claims, json_each(status, '$.allocation.devices.results') AS r WHERE age = 1
),
results AS (
  SELECT namespace, name, uid, made, r, resource,
         CASE WHEN json_extract(r, '$.device') GLOB 'gpu-*-mig-*'
                THEN substr(json_extract(r, '$.device'), instr(json_extract(r, '$.device'), '-mig-') + 5) END AS mig,
         json_extract(r, '$.shareID') IS NOT NULL AS shared,
         count(*) OVER (PARTITION BY driver, json_extract(r, '$.pool'), json_extract(r, '$.device')) AS claims
  FROM given JOIN kube_drivers ON driver = json_extract(r, '$.driver')
  WHERE NOT coalesce(json_extract(r, '$.adminAccess'), 0)
)
SELECT namespace, name, uid, made, max(resource) AS resource,
       sum(coalesce(d.chips, CASE WHEN mig GLOB '[1-7]g*' THEN CAST(mig AS INTEGER) / 7.0
                                  WHEN mig IS NOT NULL THEN CASE CAST(mig AS INTEGER) WHEN 0 THEN 7 WHEN 5 THEN 4 WHEN 9 THEN 3
                                                                 WHEN 14 THEN 2 ELSE 1 END / 7.0 ELSE 1 END)
           * CASE WHEN NOT shared THEN 1
                  ELSE coalesce(CAST(json_extract(r, '$.consumedCapacity.partitions') AS REAL),
                                CAST(json_extract(r, '$.consumedCapacity.shares') AS REAL) / d.shares, 1.0 / claims) END) AS chips
FROM results LEFT JOIN kube_devices AS d ON d.driver = json_extract(r, '$.driver') AND d.pool = json_extract(r, '$.pool')
  AND d.device = json_extract(r, '$.device')
GROUP BY namespace, name, uid;
CREATE INDEX temp.kube_given_to ON kube_given(namespace, name, made);

-- What claims and templates of claims ask for: chips, or all (every) of a node. The class, or what selects devices in it or in
-- the request, names the driver. NULL: it does not say which part of a chip.
DROP TABLE IF EXISTS temp.kube_requests;
CREATE TEMP TABLE kube_requests AS
WITH requests AS (
  SELECT k._file, k.kind, k.namespace, k.name,
         coalesce(json_extract(r.value, '$.exactly'), json_extract(r.value, '$.firstAvailable[0]'), r.value) AS r
  FROM (SELECT *, row_number() OVER (PARTITION BY kind, namespace, name ORDER BY CAST(resourceVersion AS INTEGER) DESC, version DESC) AS nth
        FROM kube_last WHERE kind IN ('ResourceClaim', 'ResourceClaimTemplate')) AS k,
       json_each(k.spec, CASE k.kind WHEN 'ResourceClaim' THEN '$.devices.requests' ELSE '$.spec.devices.requests' END) AS r
  WHERE nth = 1 AND r.type = 'object'
),
selected AS (
  SELECT *, json_extract(r, '$.deviceClassName') || coalesce(json_extract(r, '$.selectors'), '') ||
            coalesce((SELECT json_extract(c.spec, '$.selectors')
                      FROM kube_last AS c WHERE c.kind = 'DeviceClass' AND c.name = json_extract(r, '$.deviceClassName')), '') AS words
  FROM requests
)
SELECT * FROM selected LEFT JOIN kube_drivers ON instr(words, driver) OR (driver = 'gpu.nvidia.com' AND words LIKE 'mig.nvidia.com%')
WHERE NOT coalesce(json_extract(r, '$.adminAccess'), 0);
DROP TABLE IF EXISTS temp.kube_asked;
CREATE TEMP TABLE kube_asked AS
SELECT kind, namespace, name, max(resource) AS resource, max(driver) AS driver,
       max(json_extract(r, '$.allocationMode') LIKE 'all') AS every,
       CASE WHEN count(*) = count(part) THEN sum(coalesce(json_extract(r, '$.count'), 1) * part) END AS chips
FROM (SELECT *, CASE WHEN words NOT LIKE 'mig.nvidia.com%' AND words NOT GLOB '*[''"]mig[''"\]*' THEN 1
                     WHEN instr(words, '.profile')
                       THEN nullif(CAST(ltrim(substr(words, instr(words, '.profile') + 8), ' =\"' || char(39)) AS INTEGER), 0)
                       / 7.0 END AS part
      FROM kube_requests WHERE driver IS NOT NULL)
GROUP BY kind, namespace, name;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', NULL, count(*),
       'claims and templates of device classes whose driver no file tells, unless by what they were given: ' || group_concat(DISTINCT class)
FROM (SELECT DISTINCT r._file, r.kind, r.namespace, r.name, json_extract(r, '$.deviceClassName') AS class FROM kube_requests AS r
      WHERE driver IS NULL AND NOT EXISTS (SELECT 1 FROM kube_given AS g WHERE g.namespace = r.namespace AND g.name = r.name))
WHERE NOT (class LIKE '%net%' OR class LIKE '%nic%' OR class LIKE '%rdma%' OR class LIKE '%sriov%' OR class LIKE '%cpu%'
           OR class LIKE '%compute-domain%' OR class LIKE '%imex%' OR class LIKE '%memory%' OR class LIKE '%storage%') GROUP BY _file;
DROP TABLE kube_requests;
CREATE INDEX temp.kube_asked_by ON kube_asked(namespace, name, kind);

-- Nodes without a device plugin have what their drivers offer now.
UPDATE kube_objects
SET (chips, share, product) = (SELECT count(DISTINCT driver || chip), 1,
                                      CASE WHEN kube_objects.product IS json_extract(labels, '$."node.kubernetes.io/instance-type"')
                                             THEN coalesce(max(d.product), kube_objects.product)
                                           ELSE kube_objects.product END
                               FROM kube_devices AS d WHERE d.node = kube_objects.name AND now)
WHERE kind = 'Node' AND coalesce(chips, 0) = 0 AND name IN (SELECT node FROM kube_devices WHERE now);

-- A pod has what its claims were given, else what they ask for. All devices of a node are known before it has one if nodes are alike.
DROP TABLE IF EXISTS temp.kube_every;
CREATE TEMP TABLE kube_every AS
SELECT driver, max(n) AS chips FROM (SELECT driver, count(DISTINCT chip) AS n FROM kube_devices WHERE now GROUP BY driver, node)
GROUP BY driver HAVING min(n) = max(n);
DROP TABLE IF EXISTS temp.kube_claimed;
CREATE TEMP TABLE kube_claimed AS
SELECT p.uid, p.namespace, CASE WHEN json_extract(c.value, '$.template') IS NULL THEN json_extract(c.value, '$.claim') END AS named,
       coalesce(g.resource, a.resource, b.resource) AS resource,
       coalesce(g.chips, CASE WHEN coalesce(a.every, b.every, 0) = 0 THEN coalesce(a.chips, b.chips)
                              WHEN p.nodeName IS NULL THEN (SELECT e.chips
                                                            FROM kube_every AS e WHERE e.driver = coalesce(a.driver, b.driver))
                              ELSE (SELECT count(DISTINCT d.chip)
                                    FROM kube_devices AS d WHERE d.node = p.nodeName AND d.driver = coalesce(a.driver, b.driver)
                                      AND now) END) AS chips
FROM kube_last AS p, json_each(p.claims) AS c
     -- of several of one name that of its time
     LEFT JOIN kube_given AS g ON g.namespace = p.namespace AND g.name = json_extract(c.value, '$.claim')
                              AND g.uid = coalesce((SELECT t.uid
                                                    FROM kube_given AS t WHERE t.namespace = p.namespace
                                                      AND t.name = json_extract(c.value, '$.claim')
                                                      AND t.made <= coalesce(p.scheduled, p.startTime, p.creationTimestamp)
                                                    ORDER BY t.made DESC LIMIT 1),
                                                   (SELECT t.uid FROM kube_given AS t
                                                    WHERE t.namespace = p.namespace AND t.name = json_extract(c.value, '$.claim')
                                                    ORDER BY t.made LIMIT 1))
     LEFT JOIN kube_asked AS a ON a.namespace = p.namespace
  AND a.name = coalesce(json_extract(c.value, '$.template'), json_extract(c.value, '$.claim'))
                              AND a.kind = CASE WHEN json_extract(c.value, '$.template') IS NULL THEN 'ResourceClaim'
                                                ELSE 'ResourceClaimTemplate' END
     -- whose template no file has
     LEFT JOIN kube_asked AS b ON b.namespace = p.namespace AND b.name = json_extract(c.value, '$.claim') AND b.kind = 'ResourceClaim'
WHERE p.kind = 'Pod';
-- A pod that requested devices as a resource whose name says nothing of chips: it has what the claim was given that the scheduler made for
-- it.
INSERT INTO kube_claimed
SELECT p.uid, p.namespace, NULL, g.resource, g.chips
FROM kube_last AS p CROSS JOIN kube_given AS g ON g.namespace = p.namespace
  AND g.name = json_extract(p.status, '$.extendedResourceClaimStatus.resourceClaimName')
WHERE p.kind = 'Pod' AND coalesce(p.chips, 0) = 0;
DELETE FROM kube_claimed WHERE coalesce(chips, 0) = 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT p._file, 'warning', 'missing_field', NULL, count(*),
       'objects whose claim or template of a claim no file has, the first ' || min(p.kind || ' ' || p.namespace || '/' || p.name)
         || ': what it asks for is not known'
FROM kube_last AS p, json_each(p.claims) AS c
WHERE coalesce(json_extract(c.value, '$.template'), json_extract(c.value, '$.claim')) IS NOT NULL
  AND (p.namespace, coalesce(json_extract(c.value, '$.template'), '')) NOT
    IN (SELECT namespace, name FROM kube_objects WHERE kind = 'ResourceClaimTemplate' AND name IS NOT NULL AND namespace IS NOT NULL)
  AND (p.namespace, coalesce(json_extract(c.value, '$.claim'), '')) NOT
    IN (SELECT namespace, name FROM kube_objects WHERE kind = 'ResourceClaim' AND name IS NOT NULL AND namespace IS NOT NULL)
GROUP BY p._file;
CREATE INDEX temp.kube_claimed_by ON kube_claimed(uid);
CREATE INDEX temp.kube_claimed_as ON kube_claimed(namespace, named);
UPDATE kube_last
SET chips = round(coalesce(chips, 0) + (SELECT sum(c.chips) FROM kube_claimed AS c WHERE c.uid = kube_last.uid), 6),
    resource = coalesce(resource, (SELECT max(c.resource) FROM kube_claimed AS c WHERE c.uid = kube_last.uid))
WHERE kind = 'Pod' AND uid IN (SELECT uid FROM kube_claimed);

-- An object that makes pods asks for what its templates of claims ask for, times the number of its pods. How much of a claim with a name
-- of its own a job has, only the pods that hold it say. (CROSS keeps the few claims before the many templates.)
UPDATE kube_asked SET chips = (SELECT e.chips FROM kube_every AS e WHERE e.driver = kube_asked.driver)
WHERE every;
UPDATE kube_last
SET (chips, min_chips, resource) = (
  SELECT nullif(coalesce(kube_last.chips, 0) + sum(a.chips * json_extract(c.value, '$.pods')), 0),
         CASE WHEN max(json_extract(c.value, '$.least')) OR kube_last.min_chips
              THEN coalesce(kube_last.min_chips, kube_last.chips, 0)
                + sum(a.chips * coalesce(json_extract(c.value, '$.least'), json_extract(c.value, '$.pods'))) END,
         coalesce(kube_last.resource, max(a.resource))
  FROM json_each(kube_last.claims) AS c
  CROSS JOIN kube_asked AS a ON a.namespace = kube_last.namespace AND a.name = json_extract(c.value, '$.template')
    AND a.kind = 'ResourceClaimTemplate')
WHERE kind <> 'Pod' AND claims IS NOT NULL
  AND EXISTS (SELECT 1 FROM json_each(kube_last.claims) AS c
              CROSS JOIN kube_asked AS a ON a.namespace = kube_last.namespace AND a.name = json_extract(c.value, '$.template')
                AND a.kind = 'ResourceClaimTemplate');
