"""Logs in the shapes of the sets of loghub, written by us: lines of each system as it writes them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

Line = Callable[[random.Random, datetime], str]
_HEX = "0123456789abcdef"


def _hex(rng: random.Random, length: int) -> str:
    return "".join(rng.choice(_HEX) for _ in range(length))


def _uuid(rng: random.Random) -> str:
    return "-".join(_hex(rng, length) for length in (8, 4, 4, 4, 12))


def _apache(rng: random.Random, at: datetime) -> str:
    child = rng.randint(2000, 9000)
    said = rng.choice(
        (
            f"[notice] jk2_init() Found child {child} in scoreboard slot {rng.randint(5, 12)}",
            "[notice] workerEnv.init() ok /etc/httpd/conf/workers2.properties",
            f"[error] mod_jk child workerEnv in error state {rng.randint(5, 9)}",
        )
    )
    return f"[{at:%a %b %d %H:%M:%S %Y}] {said}"


def _bgl(rng: random.Random, at: datetime) -> str:
    node = f"R{rng.randint(0, 70):02}-M{rng.randint(0, 1)}-N{rng.choice('02468C')}-C:J{rng.randint(2, 17):02}-U11"
    said = rng.choice(
        ("instruction cache parity error corrected", f"generating core.{rng.randint(100, 4000)}", "ddr: excessive soft")
    )
    return f"- {at.timestamp():.0f} {at:%Y.%m.%d} {node} {at:%Y-%m-%d-%H.%M.%S.%f} {node} RAS KERNEL INFO {said}"


def _hdfs(rng: random.Random, at: datetime) -> str:
    block = f"blk_{rng.choice(('', '-'))}{rng.randint(10**17, 9 * 10**18)}"
    one, other = (f"10.25{rng.randint(0, 1)}.{rng.randint(1, 254)}.{rng.randint(1, 254)}" for _ in range(2))
    said = rng.choice(
        (
            f"dfs.DataNode$PacketResponder: PacketResponder {rng.randint(0, 2)} for block {block} terminating",
            f"dfs.DataNode$DataXceiver: Receiving block {block} src: /{one}:54106 dest: /{other}:50010",
            (
                f"dfs.FSNamesystem: BLOCK* NameSystem.addStoredBlock: blockMap updated: {one}:50010 "
                f"is added to {block} "
                "size 67108864"
            ),
        )
    )
    return f"{at:%y%m%d %H%M%S} {rng.randint(10, 900)} INFO {said}"


def _hpc(rng: random.Random, at: datetime) -> str:
    said = rng.choice(
        (
            (
                "unix.hw state_change.unavailable {} 1 Component State Change: Component \\042alt0\\042 is in the "
                "unavailable state (HWID=3180)"
            ),
            "boot_cmd new {} 1 Targeting domains:node-D5 and nodes:node-[160-163] child of command 2",
            (
                "unix.hw net.niff.up {} 1 NIFF: node node-128 has detected an available network connection on network "
                "5.5.224.0 via interface alt0"
            ),
        )
    ).format(f"{at.timestamp():.0f}")
    return f"{rng.randint(1000, 500000)} node-{rng.randint(0, 255)} {said}"


def _hadoop(rng: random.Random, at: datetime) -> str:
    attempt = f"attempt_1445144423722_0020_m_{rng.randint(0, 9):06}_0"
    said = rng.choice(
        (
            "INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: OutputCommitter set in config null",
            (
                "INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: "
                f"{attempt} TaskAttempt Transitioned from NEW to UNASSIGNED"
            ),
            (
                f"INFO [IPC Server handler {rng.randint(0, 29)} on 62270] "
                "org.apache.hadoop.mapred.TaskAttemptListenerImpl: "
                f"Progress of TaskAttempt {attempt} is : 0.{rng.randint(10000, 99999)}"
            ),
        )
    )
    return f"{at:%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03} {said}"


def _health_app(rng: random.Random, at: datetime) -> str:
    said = rng.choice(
        (
            f"Step_LSC|30002312|onStandStepChanged {rng.randint(3000, 4000)}",
            f"Step_SPUtils|30002312| getTodayTotalDetailSteps = 1514038440000##{rng.randint(6000, 7000)}##548365##8661",
            f"Step_ExtSDM|30002312|calculateAltitudeWithCache totalAltitude={rng.randint(0, 90)}",
        )
    )
    return f"{at:%Y%m%d}-{at.hour}:{at.minute}:{at.second}:{rng.randint(0, 999)}|{said}"


def _linux(rng: random.Random, at: datetime) -> str:
    pid = rng.randint(1000, 30000)
    said = rng.choice(
        (
            (
                f"sshd(pam_unix)[{pid}]: authentication failure; logname= uid=0 euid=0 tty=NODEVssh ruser= "
                f"rhost=218.188.2.{rng.randint(1, 9)}"
            ),
            f"su(pam_unix)[{pid}]: session opened for user cyrus by (uid=0)",
            "logrotate: ALERT exited abnormally with [1]",
        )
    )
    return f"{at:%b} {at.day:2} {at:%H:%M:%S} combo {said}"


def _mac(rng: random.Random, at: datetime) -> str:
    host = f"calvisitor-10-105-160-{rng.randint(10, 99)}"
    said = rng.choice(
        (
            "kernel[0]: ARPT: 620701.011328: AirPort_Brcm43xx::syncPowerState: WWEN[enabled]",
            (
                "com.apple.cts[258]: com.apple.EscrowSecurityAlert.daily: "
                "scheduler_evaluate_activity told me to run this "
                f"job; however, but the start time isn't for {rng.randint(10000, 99999)} seconds.  Ignoring."
            ),
            "corecaptured[31174]: CCFile::captureLog",
        )
    )
    return f"{at:%b} {at.day:2} {at:%H:%M:%S} {host} {said}"


def _open_ssh(rng: random.Random, at: datetime) -> str:
    port = rng.randint(30000, 60000)
    said = rng.choice(
        (
            f"Failed password for root from 183.62.140.253 port {port} ssh2",
            (
                "pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= "
                "rhost=183.62.140.253 "
                " user=root"
            ),
            "Received disconnect from 183.62.140.253: 11: Bye Bye [preauth]",
        )
    )
    return f"{at:%b} {at.day:2} {at:%H:%M:%S} LabSZ sshd[{rng.randint(20000, 30000)}]: {said}"


_TENANT, _PROJECT = "113d3a99c3da401fbd62cc2caa5b96d2", "54fadb412c4e40cdbaed9335e4c35a9e"
_INSTANCES = [_uuid(random.Random(number)) for number in range(6)]


def _open_stack(rng: random.Random, at: datetime) -> str:
    request = _uuid(random.Random(rng.randint(0, 30)))
    instance = rng.choice(_INSTANCES)
    said = rng.choice(
        (
            (
                f"nova.osapi_compute.wsgi.server [req-{request} {_TENANT} {_PROJECT} - - -] "
                f'10.11.10.1 "GET /v2/{_PROJECT}'
                f'/servers/detail HTTP/1.1" status: 200 len: {rng.randint(1500, 1900)} time: '
                f"0.{rng.randint(10**6, 10**7)}"
            ),
            (
                f"nova.compute.manager [req-{request} {_TENANT} {_PROJECT} - - -] [instance: {instance}] "
                "VM Started (Lifecycle Event)"
            ),
            (
                f"nova.virt.libvirt.imagecache [req-addc1839-2ed5-4778-b57e-5854eb7b8b09 - - - - -] image "
                "0673dd71-34c5-4fbb-86c4-40623fbe45b4 at "
                f"(/var/lib/nova/instances/_base/{_hex(random.Random(1), 40)}): "
                "in use: on this node 1 local, 0 on other nodes sharing this instance storage"
            ),
        )
    )
    log = rng.choice(("nova-api", "nova-compute"))
    return f"{log}.log.1.2017-05-16_13:53:08 {at:%Y-%m-%d %H:%M:%S}.{rng.randint(0, 999):03} 25746 INFO {said}"


def _proxifier(rng: random.Random, at: datetime) -> str:
    host = rng.choice(("proxy.cse.cuhk.edu.hk:5070", "qa.sogou.com:80", "183.62.156.108:22"))
    said = rng.choice(
        (
            f"chrome.exe - {host} open through proxy proxy.cse.cuhk.edu.hk:5070 HTTPS",
            (
                f"chrome.exe *64 - {host} close, {rng.randint(100, 900)} bytes sent, {rng.randint(1000, 9999)} bytes "
                f"received, lifetime 00:{rng.randint(0, 59):02}"
            ),
        )
    )
    return f"[{at:%m.%d %H:%M:%S}] {said}"


def _spark(rng: random.Random, at: datetime) -> str:
    number = rng.randint(0, 40)
    said = rng.choice(
        (
            f"executor.Executor: Running task {number}.0 in stage {number % 4}.0 (TID {number})",
            f"storage.BlockManager: Found block rdd_2_{number} locally",
            f"python.PythonRunner: Times: total = {number}, boot = -{number}, init = {number}, finish = 0",
        )
    )
    return f"{at:%y/%m/%d %H:%M:%S} INFO {said}"


def _thunderbird(rng: random.Random, at: datetime) -> str:
    node = f"dn{rng.randint(1, 999)}"
    said = rng.choice(
        (
            f"crond(pam_unix)[{rng.randint(2000, 3000)}]: session closed for user root",
            f"crond[{rng.randint(2000, 3000)}]: (root) CMD (run-parts /etc/cron.hourly)",
            "kernel: ACPI: Processor [CPU0] (supports C1)",
        )
    )
    stamp = f"{at.timestamp():.0f} {at:%Y.%m.%d} {node} {at:%b} {at.day} {at:%H:%M:%S}"
    return f"- {stamp} {node}/{node} {said}"


def _windows(rng: random.Random, at: datetime) -> str:
    said = rng.choice(
        (
            (
                "Loaded Servicing Stack v6.1.7601.23505 with Core: C:\\Windows\\winsxs\\amd64_microsoft-windows-"
                "servicingstack_31bf3856ad364e35_6.1.7601.23505_none_681aa442f6fed7f0\\cbscore.dll"
            ),
            (
                "SQM: Failed to start upload with file pattern: "
                "C:\\Windows\\servicing\\sqm\\*_std.sqm, flags: 0x2 [HRESULT "
                f"= 0x8000{rng.randint(4000, 4009)} - E_FAIL]"
            ),
            f"Session: 30546174_{rng.randint(10**9, 4 * 10**9)} initialized by client WindowsUpdateAgent.",
        )
    )
    return f"{at:%Y-%m-%d %H:%M:%S}, Info                  CBS    {said}"


def _zookeeper(rng: random.Random, at: datetime) -> str:
    said = rng.choice(
        (
            (
                f"INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - Notification time out: "
                f"{rng.choice((3200, 6400, 12800))}"
            ),
            (
                "WARN  "
                f"[SendWorker:188978561024:QuorumCnxManager$SendWorker@{rng.randint(679, 689)}] - Interrupted while "
                "waiting for message on queue"
            ),
            (
                f"INFO  [/10.10.34.11:3888:QuorumCnxManager$Listener@493] - Received connection request /10.10.34.1"
                f"{rng.randint(1, 3)}:{rng.randint(40000, 50000)}"
            ),
        )
    )
    return f"{at:%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03} - {said}"


def _android(rng: random.Random, at: datetime) -> str:
    said = rng.choice(
        (
            (
                f'D PowerManagerService: release:lock={rng.randint(10**8, 10**9)}, flg=0x0, tag="View Lock", '
                'name=com.android.systemui"'
            ),
            (
                "V WindowManager: Skipping AppWindowToken{df0798e token=Token{78af589 ActivityRecord{3b04890 u0 "
                "com.tencent.qt.qtl/com.tencent.video.player.activity.PlayerActivity t761}}} -- going to hide"
            ),
            f"I PowerManager_screenOn: DisplayPowerStatesetColorFadeLevel: level={rng.randint(0, 9) / 10}",
        )
    )
    return f"{at:%m-%d %H:%M:%S}.{rng.randint(0, 999):03}  1702  {rng.randint(2000, 9000)} {said}"


_LINES: dict[str, Line] = {
    "Apache": _apache,
    "BGL": _bgl,
    "HDFS": _hdfs,
    "HPC": _hpc,
    "Hadoop": _hadoop,
    "HealthApp": _health_app,
    "Linux": _linux,
    "Mac": _mac,
    "OpenSSH": _open_ssh,
    "OpenStack": _open_stack,
    "Proxifier": _proxifier,
    "Spark": _spark,
    "Thunderbird": _thunderbird,
    "Windows": _windows,
    "Zookeeper": _zookeeper,
    "Android": _android,
}
SETS = tuple(_LINES)
"""Names of the sets."""


def log_of(name: str, lines: int = 60) -> str:
    """So many lines of a log in the shape of a set; the same ones in every run."""
    return "\n".join(_written(_LINES[name], name, lines)) + "\n"


def _written(line: Line, name: str, count: int) -> Iterator[str]:
    rng = random.Random(name)
    at = datetime(2017, 5, 16, 0, 0, 4, 500)  # noqa: DTZ001 - a log has no zone
    for _ in range(count):
        at += timedelta(seconds=rng.choice((0, 0, 1, 1, 2, 7)), microseconds=rng.randint(0, 999999))
        yield line(rng, at)
