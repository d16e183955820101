"""unread_devices.py - what vendors' tools print of devices, and words of the reason, for test_sources_unread.py."""

DEVICES = {
    "smi.txt": (
        b"Mon Mar  2 10:00:00 2026       \n+-----------------------+\n| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15      CUDA Version: 12.4     |\n",
        "a table of nvidia-smi",
    ),
    "smi.csv": (
        b"timestamp, name, utilization.gpu [%], memory.used [MiB]\n2026/03/02 10:00:00.000, NVIDIA H100 80GB HBM3, 98 %, 70000 MiB\n",
        "samples of nvidia-smi, dcgmi or hl-smi",
    ),
    "dmon.txt": (
        b"# gpu    pwr  gtemp  mtemp     sm    mem\n# Idx      W      C      C      %      %\n    0    300     60     70     98     40\n",
        "samples of nvidia-smi, dcgmi or hl-smi",
    ),
    "dcgmi.txt": (b"#Entity   GRACT   SMACT\nID\nGPU 0     0.98    0.90\n", "samples of nvidia-smi, dcgmi or hl-smi"),
    "rocm-smi.json": (b'{"card0": {"GPU use (%)": "3"}}\n', "what rocm-smi or amd-smi prints"),
    "smi-q.txt": (
        b"\n==============NVSMI LOG==============\n\nTimestamp                                 : Mon Jan  5 12:00:00 2026\nDriver Version                            : 550.54.15\nCUDA Version                              : 12.4\n\nAttached GPUs                             : 8\nGPU 00000000:18:00.0\n    Product Name                          : NVIDIA H100 80GB HBM3\n    Product Brand                         : NVIDIA\n    Utilization\n        Gpu                               : 98 %\n        Memory                            : 40 %\n",
        "what nvidia-smi says",
    ),
    "smi-q.xml": (
        b'<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n<nvidia_smi_log>\n\t<timestamp>Mon Jan  5 12:00:00 2026</timestamp>\n\t<driver_version>550.54.15</driver_version>\n\t<attached_gpus>1</attached_gpus>\n\t<gpu id="00000000:18:00.0">\n\t\t<product_name>NVIDIA H100 80GB HBM3</product_name>\n\t\t<utilization><gpu_util>98 %</gpu_util></utilization>\n\t</gpu>\n</nvidia_smi_log>\n',
        "what nvidia-smi says",
    ),
    "smi-L.txt": (
        b"GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5b1f)\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-6b1f)\n",
        "what nvidia-smi says",
    ),
    "topo.txt": (
        b"\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \tNV18\tPIX\t0-47,96-143\t0\t\tN/A\nGPU1\tNV18\t X \tPIX\t0-47,96-143\t0\t\tN/A\n",
        "what nvidia-smi says",
    ),
    "query-nounits.csv": (
        b"timestamp, index, utilization.gpu, memory.used\n2026/01/05 12:00:00.123, 0, 98, 70000\n2026/01/05 12:00:00.123, 1, 97, 70000\n",
        "samples of nvidia-smi, dcgmi or hl-smi",
    ),
    "query-noheader.csv": (
        b"2026/01/05 12:00:00.123, 0, 98 %, 70000 MiB\n2026/01/05 12:00:00.123, 1, 97 %, 70000 MiB\n",
        "samples of nvidia-smi, dcgmi or hl-smi",
    ),
    "query-hosts.csv": (
        b"host, timestamp, index, utilization.gpu [%]\nnode1, 2026/01/05 12:00:00.123, 0, 98 %\nnode2, 2026/01/05 12:00:00.123, 0, 97 %\n",
        "samples of nvidia-smi, dcgmi or hl-smi",
    ),
    "pdsh.txt": (
        b"node1: timestamp, index, utilization.gpu [%]\nnode2: timestamp, index, utilization.gpu [%]\nnode1: 2026/01/05 12:00:00.123, 0, 98 %\nnode2: 2026/01/05 12:00:00.123, 0, 97 %\n",
        "samples of nvidia-smi, dcgmi or hl-smi",
    ),
    "dmon-oT.txt": (
        b"#Time        gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk \n#HH:MM:SS    Idx      W      C      C      %      %      %      %    MHz    MHz \n 12:00:00      0     71     34     40      0      0      0      0   2619   1980 \n",
        "samples of nvidia-smi",
    ),
    "dmon-oDT.txt": (
        b"#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem \n#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      % \n 20260105   12:00:00      0     71     34     40      0      0 \n",
        "samples of nvidia-smi",
    ),
    "pmon.txt": (
        b"# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command \n# Idx           #    C/G      %      %      %      %      %      %    name \n    0      12345     C     98     40      -      -      -      -    python3        \n",
        "samples of nvidia-smi",
    ),
    "dcgmi-dmon2.txt": (
        b"# Entity  GPUTL  FBUSD\n      Id                 \nGPU 0     98     70000\n",
        "samples of nvidia-smi",
    ),
    "hl-smi.csv": (
        b"timestamp, name, bus_id, utilization.aip [%], memory.used [MiB]\nMon Jan  5 12:00:00 UTC 2026, HL-225, 0000:19:00.0, 98 %, 70000 MiB\n",
        "samples of nvidia-smi, dcgmi or hl-smi",
    ),
    "nvidia-smi-accounting.csv": (
        b"gpu_uuid, pid, gpu_utilization [%], mem_utilization [%], max_memory_usage [MiB], time [ms]\nGPU-5b, 12345, 98 %, 40 %, 70000 MiB, 3600000 ms\n",
        "samples of nvidia-smi",
    ),
    "compute-apps.csv": (
        b"pid, process_name, used_gpu_memory [MiB]\n12345, python3, 70000 MiB\n",
        "samples of nvidia-smi",
    ),
    "dcgmi-diag.txt": (
        b"Successfully ran diagnostic for group.\n+---------------------------+------------------------------------------------+\n| Diagnostic                | Result                                         |\n+===========================+================================================+\n|-----  Metadata  ----------+------------------------------------------------|\n| DCGM Version              | 3.3.5                                          |\n| Driver Version Detected   | 550.54.15                                      |\n|-----  Deployment  --------+------------------------------------------------|\n| Denylist                  | Pass                                           |\n",
        "what dcgmi found",
    ),
    "dcgmi-diag.json": (
        b'{"DCGM GPU Diagnostic":{"test_categories":[{"category":"Deployment","tests":[{"name":"Denylist","results":[{"gpu_ids":"0","status":"PASS"}]}]}]}}',
        "what dcgmi found",
    ),
    "dcgmi-diag4.json": (
        b'{"DCGM Diagnostic":{"test_categories":[{"category":"Deployment","tests":[{"name":"software","results":[{"entity_group":"GPU","entity_id":0,"status":"Pass"}]}]}],"metadata":{"version":"4.2.3"}}}',
        "what dcgmi found",
    ),
    "dcgmi-discovery.txt": (
        b"8 GPUs found.\n+--------+----------------------------------------------------------------------+\n| GPU ID | Device Information                                                   |\n+--------+----------------------------------------------------------------------+\n| 0      | Name: NVIDIA H100 80GB HBM3                                          |\n",
        "what dcgmi found",
    ),
    "dcgmi-health.txt": (
        b"+---------------------------+----------------------------------------------------------+\n| Health Monitor Report                                                                |\n+===========================+==========================================================+\n| Overall Health            | Healthy                                                  |\n",
        "what dcgmi found",
    ),
    "dcgmi-stats.txt": (
        b"Successfully retrieved process info for PID: 12345. Process ran on 1 GPUs.\n+------------------------------------------------------------------------------+\n| GPU ID: 0                                                                    |\n+====================================+=========================================+\n| Start Time                     *   | Mon Jan  5 12:00:00 2026                |\n",
        "what dcgmi found",
    ),
    "rocm-smi.txt": (
        b"============================================ ROCm System Management Interface ============================================\n====================================================== Concise Info ======================================================\nDevice  Node  IDs              Temp        Power     Partitions          SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%  \n              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)                                                  \n==========================================================================================================================\n0       2     0x74a1,   28851  40.0\xc2\xb0C      136.0W    NPS1, SPX, 0        132Mhz  900Mhz  0%   auto  750.0W  0%     0%    \n",
        "what rocm-smi or amd-smi prints",
    ),
    "rocm-smi.csv": (b"device,GPU use (%),GFX Activity\ncard0,98,12345\ncard1,97,12345\n", "what rocm-smi or amd-smi"),
    "rocm-smi2.csv": (
        b"device,Temperature (Sensor junction) (C),GPU use (%),GPU Memory Allocated (VRAM%)\ncard0,40.0,98,10\n",
        "what rocm-smi or amd-smi",
    ),
    "rocm-smi-sys.json": (
        b'{"system": {"Driver version": "6.10.5"}, "card0": {"GPU use (%)": "98"}}',
        "what rocm-smi or amd-smi",
    ),
    "amd-smi-metric.json": (
        b'[{"gpu": 0, "usage": {"gfx_activity": {"value": 98, "unit": "%"}, "umc_activity": {"value": 10, "unit": "%"}}}]',
        "what rocm-smi or amd-smi",
    ),
    "amd-smi-metric2.json": (
        b'{"gpu_data": [{"gpu": 0, "usage": {"gfx_activity": {"value": 98, "unit": "%"}}}]}',
        "what rocm-smi or amd-smi",
    ),
    "amd-smi-metric.csv": (
        b"gpu,gfx_activity,umc_activity,mm_activity\n0,98,10,N/A\n1,98,10,N/A\n",
        "what rocm-smi or amd-smi",
    ),
    "amd-smi-monitor.txt": (
        b"GPU  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   ENC%   DEC%      VRAM_USAGE\n  0  136 W   40 \xc2\xb0C   35 \xc2\xb0C   132 MHz    0 %    0 %    N/A    0 %    0.3/191.9 GB\n",
        "what rocm-smi or amd-smi",
    ),
    "amd-smi-monitor.csv": (
        b"timestamp,gpu,power_usage,hotspot_temperature,memory_temperature,gfx_clk,gfx,mem,encoder,decoder\n1767614400,0,136,40,35,132,98,10,N/A,N/A\n",
        "what rocm-smi or amd-smi",
    ),
    "amd-smi-list.json": (
        b'[{"gpu": 0, "bdf": "0000:05:00.0", "uuid": "abc", "kfd_id": 1, "node_id": 2, "partition_id": 0}]',
        "what rocm-smi or amd-smi",
    ),
    "amd-smi-static.json": (
        b'[{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X", "vendor_id": "0x1002"}, "bus": {"bdf": "0000:05:00.0"}}]',
        "what rocm-smi or amd-smi",
    ),
    "rocminfo.txt": (
        b"ROCk module is loaded\n=====================    \nHSA System Attributes    \n=====================    \nRuntime Version:         1.14\n==========               \nHSA Agents               \n==========               \n*******                  \nAgent 1                  \n*******                  \n  Name:                    AMD EPYC 9654\n",
        "what rocminfo or clinfo says",
    ),
    "clinfo.txt": (
        b"Number of platforms                               1\n  Platform Name                                   Intel(R) OpenCL Graphics\n",
        "what rocminfo or clinfo says",
    ),
    "xpu-smi.txt": (
        b"+-----------+--------------------------------------------------------------------------------------+\n| Device ID | Device Information                                                                   |\n+-----------+--------------------------------------------------------------------------------------+\n| 0         | Device Name: Intel(R) Data Center GPU Max 1550                                       |\n",
        "what xpu-smi says",
    ),
    "xpu-smi-dump.csv": (
        b"Timestamp, DeviceId, GPU Utilization (%), GPU Power (W)\n12:00:00.000,    0, 98.00, 300.00\n12:00:00.000,    1, 98.00, 300.00\n",
        "what xpu-smi says",
    ),
    "xpu-smi-disc.json": (
        b'{"device_list": [{"device_function_type": "physical", "device_id": 0, "device_name": "Intel(R) Data Center GPU Max 1550", "device_type": "GPU", "pci_bdf_address": "0000:29:00.0"}]}',
        "what xpu-smi says",
    ),
    "xpu-smi-stats.json": (
        b'{"device_id": 0, "device_level": [{"metrics_type": "XPUM_STATS_GPU_UTILIZATION", "value": 98.0, "avg": 90.0}], "begin": "2026-01-05T12:00:00.000Z", "end": "2026-01-05T12:00:10.000Z"}',
        "what xpu-smi says",
    ),
    "npu-smi.txt": (
        b"+------------------------------------------------------------------------------------------------+\n| npu-smi 23.0.2                   Version: 23.0.2                                               |\n+---------------------------+---------------+----------------------------------------------------+\n| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n+===========================+===============+====================================================+\n| 0     910B2               | OK            | 90.5        40                0    / 0             |\n",
        "what npu-smi says",
    ),
    "npu-smi-watch.txt": (
        b"NpuID(Idx)  ChipId(Idx) Pwr(W)      Temp(C)     AI Core(%)  AI Cpu(%)   Ctrl Cpu(%) Memory(%)\n0           0           90.5        40          0           0           3           4\n",
        "what npu-smi says",
    ),
    "npu-smi-usages.txt": (
        b"\tNPU ID                         : 0\n\tChip Count                     : 1\n\n\tDDR Capacity(MB)               : 0\n\tHBM Capacity(MB)               : 65536\n\tHBM Usage Rate(%)              : 5\n\tAicore Usage Rate(%)           : 0\n",
        "what npu-smi says",
    ),
    "hl-smi.txt": (
        b"+-----------------------------------------------------------------------------+\n| HL-SMI Version:                              hl-1.18.0-fw-53.1.1.1          |\n| Driver Version:                                     1.18.0-ee698fb          |\n|-------------------------------+----------------------+----------------------+\n| AIP  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n",
        "a table of hl-smi",
    ),
    "nvprof.csv": (
        b'==211== NVPROF is profiling process 211, command: ./a\n==211== Profiling application: ./a\n==211== Profiling result:\n"Start","Duration","Grid X"\nms,ms,\n198.9,0.0014,\n',
        "what nvprof prints: profile with nsys",
    ),
    "nvprof.txt": (
        b"loss 2.5\n==65== Profiling application: python train.py\n==65== Profiling result:\nTime(%)      Time     Calls       Avg       Min       Max  Name\n 51.11%  362.62us         2  181.31us  92.128us  270.50us  [CUDA memset]\n",
        "what nvprof prints: profile with nsys",
    ),
    "nsys_notice.csv": (
        b"\nNOTICE: Existing SQLite export found: a.sqlite\n        It is assumed file was previously exported from: a.nsys-rep\n        Consider using --force-export=true if needed.\n\nProcessing [a.sqlite] with [cuda_gpu_trace.py]... \nStart (ns),Duration (ns),CorrId,GrdX\n1134711990,661398,123,\n",
        "a report of nsys stats",
    ),
    "nvtx_gpu_proj_trace.csv": (
        b"Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style,PID\n:step,1,2,3,4,PushPop,1\n",
        "a report of nsys stats",
    ),
    "counter_collection.csv": (
        b'"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Counter_Name","Counter_Value"\n1,1,"Agent 4",1,1,"SQ_WAVES",4.0\n',
        "a table of rocprofv3: give",
    ),
    "neuron-monitor.json": (
        b'{"neuron_runtime_data":[{"pid":1,"address":"","neuron_runtime_tag":"","error":"","report":{"neuroncore_counters":{"period":5.0,"neuroncores_in_use":{"0":{"neuroncore_utilization":98.0}},"error":""}}}],"system_data":{},"instance_info":{"instance_name":""},"neuron_hardware_info":{"neuron_device_count":16}}\n{"neuron_runtime_data":[{"pid":1,"address":"","neuron_runtime_tag":"","error":"","report":{"neuroncore_counters":{"period":5.0,"neuroncores_in_use":{"0":{"neuroncore_utilization":98.0}},"error":""}}}],"system_data":{},"instance_info":{"instance_name":""},"neuron_hardware_info":{"neuron_device_count":16}}\n',
        "what neuron-monitor prints of cores in use: export what the scheduler says",
    ),
    "neuron-ls.json": (
        b'[{"neuron_device":0,"bdf":"00:1e.0","connected_to":[1],"nc_count":2,"memory_size":34359738368,"neuron_processes":[]}]',
        "what neuron-ls says of a machine's devices: export what the scheduler says",
    ),
    "neuron-ls.txt": (
        b"instance-type: trn1.32xlarge\ninstance-id: i-0abc\n+--------+--------+--------+-----------+---------+\n| NEURON | NEURON | NEURON | CONNECTED |   PCI   |\n| DEVICE | CORES  | MEMORY |  DEVICES  |   BDF   |\n+--------+--------+--------+-----------+---------+\n| 0      | 2      | 32 GB  | 12, 3, 4, 1 | 10:1c.0 |\n",
        "what neuron-ls says of a machine's devices: export what the scheduler says",
    ),
    "tpu-info.txt": (
        b"TPU Chips\n\xe2\x94\x8f\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\xb3\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\xb3\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\xb3\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x93\n\xe2\x94\x83 Chip        \xe2\x94\x83 Type         \xe2\x94\x83 Devices \xe2\x94\x83 PID    \xe2\x94\x83\n\xe2\x94\xa1\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x95\x87\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x95\x87\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x95\x87\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\xa9\n\xe2\x94\x82 /dev/vfio/0 \xe2\x94\x82 TPU v6e chip \xe2\x94\x82 1       \xe2\x94\x82 1052   \xe2\x94\x82\n\xe2\x94\x94\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\xb4\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\xb4\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\xb4\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x98\nTPU Runtime Utilization\n\xe2\x94\x8f\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\xb3\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\xb3\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x93\n\xe2\x94\x83 Device \xe2\x94\x83 HBM usage             \xe2\x94\x83 Duty cycle \xe2\x94\x83\n\xe2\x94\xa1\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x95\x87\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x95\x87\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\x81\xe2\x94\xa9\n\xe2\x94\x82 0      \xe2\x94\x82 0.00 GiB / 31.25 GiB  \xe2\x94\x82      0.00% \xe2\x94\x82\n",
        "what tpu-info says",
    ),
    "gpustat.json": (
        b'{"hostname":"node1","driver_version":"550.54.15","query_time":"2026-01-05T12:00:00.123456","gpus":[{"index":0,"uuid":"GPU-5b","name":"NVIDIA H100 80GB HBM3","temperature.gpu":34,"utilization.gpu":98,"power.draw":300,"memory.used":70000,"memory.total":81559,"processes":[]}]}',
        "what gpustat or nvtop says",
    ),
    "gpustat.txt": (
        b"node1                        Mon Jan  5 12:00:00 2026  550.54.15\n[0] NVIDIA H100 80GB HBM3 | 34\xc2\xb0C,   0 % |     0 / 81559 MB |\n[1] NVIDIA H100 80GB HBM3 | 34\xc2\xb0C,   0 % |     0 / 81559 MB |\n",
        "what gpustat or nvtop says",
    ),
    "nvtop.json": (
        b'[{"device_name":"NVIDIA H100 80GB HBM3","gpu_clock":"1980MHz","gpu_util":"98%","mem_util":"40%"}]',
        "what gpustat or nvtop says",
    ),
    "mthreads.txt": (
        b"Mon Jan  5 12:00:00 2026\n---------------------------------------------------------------\n    mthreads-gmi:1.14.0          Driver Version:2.7.0\n---------------------------------------------------------------\n",
        "a table of a device's tool",
    ),
    "ixsmi.txt": (
        b"Timestamp    Mon Jan  5 12:00:00 2026\n+-----------------------------------------------------------------------------+\n|  IX-ML: 4.1.0       Driver Version: 4.1.0       CUDA Version: 10.2          |\n",
        "a table of a device's tool",
    ),
    "cnmon.txt": (
        b"Mon Jan  5 12:00:00 2026\n+------------------------------------------------------------------------------+\n| CNMON v5.10.22                                                               |\n",
        "a table of a device's tool",
    ),
    "mx-smi.txt": (
        b"mx-smi  version: 2.1.6\n\n=================== MetaX System Management Interface Log ===================\nTimestamp                                         : Mon Jan  5 12:00:00 2026\n",
        "a table of a device's tool",
    ),
    "nsys-stats.txt": (
        b" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n Time (%)  Total Time (ns)  Instances  Name\n --------  ---------------  ---------  ----\n",
        "a report of nsys stats",
    ),
    "framework_op_stats.csv": (
        b'"Rank","Host/device","Type","Operation","#Occurrences","Total time (us)"\n1,"Device","MatMul","dot.1",1,10\n',
        "a table as XProf's tools make",
    ),
    "hlo_stats.csv": (
        b"Rank,Program id,HLO op category,HLO op name\n1,11,fusion,fusion.1\n",
        "a table as XProf's tools make",
    ),
    "kernel_stats.csv": (
        b'"Rank","Kernel Name","Registers per thread"\n1,"gemm",64\n',
        "a table as XProf's tools make",
    ),
    "grafana-series.csv": (
        b'"Series";"Time";"Value"\r\n"gpu 0";"2026-03-01T08:00:00+01:00";55\r\n',
        "what Grafana shows: ask its Prometheus",
    ),
    "mql.json": (
        b'{"timeSeriesDescriptor": {"labelDescriptors": [{"key": "resource.pod_name"}]}, "timeSeriesData": []}',
        "time series of Cloud Monitoring: ask",
    ),
    "cloudwatch-statistics.json": (
        b'{\n  "Label": "GPUUtilization",\n  "Datapoints": [{"Timestamp": "2026-03-02T03:08:00Z", "Average": 55.0}]\n}',
        "metrics of CloudWatch: ask",
    ),
    "azure-monitor.json": (
        b'{"cost": 59, "timespan": "2026-03-02T03:07:00Z/2026-03-02T04:07:00Z", "interval": "PT1M", "value": [{"timeseries": []}]}',
        "metrics of Azure Monitor: ask",
    ),
    "influx.csv": (
        b"#group,false,false,true,true\r\n#datatype,string,long,dateTime:RFC3339,double\r\n,result,table,_time,_value\r\n",
        "metrics of InfluxDB: ask",
    ),
    "influx-lines.txt": (
        b"nvidia_smi,host=a,index=0,name=NVIDIA\\ A100,uuid=GPU-1 utilization_gpu=55i,memory_used=100i 1777000000000000000\n",
        "metrics of InfluxDB: ask",
    ),
    "rocprofv2.csv": (
        b'Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID\n0,1,1,42,42,64,64,0,0,8,0,16,64,"k",1772442000000,1772442001000,0\n',
        "a table of rocprofv2",
    ),
    "dmesg.log": (
        b"[  123.456789] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\n[  124.1] nvidia 0000:3b:00.0: x\n",
        "a kernel's log with errors of GPUs",
    ),
    "kernlog": (
        b"Mar  2 09:00:00 n1 kernel: [  123.456789] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\n",
        "a kernel's log with errors of GPUs",
    ),
}
