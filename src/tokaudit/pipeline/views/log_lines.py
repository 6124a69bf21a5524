"""Lines of logs: their time stamps and levels, and what of them only tells who wrote them."""

from __future__ import annotations

import re

from tokaudit.pipeline.patterns import lazy

ABOVE = "″"
"""Stands, with a number, for so many words of the line above."""
_DATE = r"\d{4}[-/.]\d\d[-/.]\d\d"
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z\b|[ ]?[+-]\d\d:?\d\d(?!\d))?"
# 2025-03-02 02:00:00.014, 2025-Sep-20 02:00:00, 02/Mar/2025:02:00:00 +0000, 02-Mar-2025 02:00:00,
# Sun Mar  2 02:00:00, 17/06/09 02:00:00, 03-17 02:00:00, 02:00:00.
_STAMP = (
    rf"({_DATE}[T ]|\d{{4}}-[A-Z][a-z][a-z]-\d\d |\d\d[-/ ][A-Z][a-z][a-z][-/ ]\d{{4}}[: ]|\d\d[-/.]\d\d(?:[-/.]\d\d)? "
    rf"|(?:[A-Z][a-z][a-z] )?[A-Z][a-z][a-z] [ \d]\d |(?<=\b[DIWEF])\d{{4}} )?({_TIME})"
)
# [worker-3], [http-nio-8080-exec-7], [pool-1-thread-3], [nioEventLoopGroup-2-1]: only names that say themselves that
# they are of workers. [order-1001] and [node-3] say what a line is about; [pool-3], [reactor-3] and [timer-3] may.
_worker = lazy(
    r"(\[(?:[A-Za-z][\w.-]{0,60}?)??(?:(?<![A-Za-z])(?:worker|thread|exec|dispatcher|goroutine|coroutine|fiber|nio"
    r"|event-?[lL]oop)|(?:Worker|Thread|Exec|Dispatcher|EventLoop|EventLoopGroup-\d{1,9}))[-_#]?)\d{1,9}\]"
)
_IDENTITIES = (
    "order|user|ticket|node|host|session|customer|client|account|request|req|job|task|batch|shard|partition|device"
    "|tenant|item|product|sku|shop|store|payment|invoice|trace|span|msg|message|row|record|id|uid|server|pod|container"
    "|cluster|region|zone|disk|sensor|room|patient|member|employee|bed|door|gate|seat|table|floor|line|lane"
    "|ward|queue|topic|build|case|test|step|channel|port|slot|index"
)
_LEVELS = "trace|debug|info|notice|information|verbose"
# sshd[4127]: where syslog has it, behind at most a host; of a name that is of something else the number is no process.
_process = lazy(
    rf"^((?:\0|[^\n\0]{{1,64}}\0)?[\]>)]?[ ]*(?:(?!(?:{_LEVELS})\b)[\w.:-]{{1,64}} )?"
    rf"(?!(?:[\w./-]*[-_./])?(?:{_IDENTITIES})s?\[)[A-Za-z][\w./-]{{0,63}}\[)\d{{3,9}}(?=\]:)",
    re.MULTILINE | re.IGNORECASE,
)
_WORDS = ("pid", "hread", "goroutine")
# A tid alone may be of a ticket or a transaction.
_numbered = lazy(
    r"(?:(?<![\w.-])(?:goroutine |(?:pid|[Tt]hread|goroutine)[-=:#])|[\[(](?:pid|[Tt]hread) )\d+(?![-\w])"
    r"(?:[, ]{1,2}tid[-=:# ]{1,2}\d+)?"
)
stamp_pattern = lazy(
    rf"^(?:[\[(<DIWEF]?|[^\s\d]{{1,40}}[ ]+\|?[ ]*|\S{{1,64}} \S{{1,64}} \S{{1,64}} \[)({_STAMP})", re.MULTILINE
)
"""A line's time stamp (1), its date if it has one (2) and its time (3), after a few marks or an address at most."""
date_pattern = lazy(rf"^\[?({_DATE}[T ])({_TIME})", re.MULTILINE)
"""A line that begins with a time stamp: its date with what stands between date and time (1), the time (2)."""
alarm_pattern = lazy(
    # Levels and names: WARN, errors, NullPointerException, E/ActivityManager, E0301 of glog, " E " of logcat.
    r"(?<![a-z])(?:warn(?:ing|ings)?|wrn|err|errs|eror|fatal|ftl|crit|critical|severe|alerts?|emerg|emergency"
    r"|alarm(?:s|ed|ing)?|panic(?:ked|s)?"
    r"|traceback|oom(?:killed)?|anr|eof|nack|sig(?:kill|segv|abrt|term|bus|ill|fpe)|segv|abrt)(?![a-z])|error"
    r"|exception"
    r"|out[ -]?of[ -]?(?:memory|space|disk|range|bounds|time|sync|stock|order|service)"
    r"|(?-i:(?<![\w/.])[EFW]/\w|^[EFW]\d{4} |[\[<(|] ?[EFW] ?[\])>|]|\bBUG\b|\bNot[A-Z]"
    r"|\d +[EFW] +[\w.$-]+ *:|\bE(?:CONN|TIMED|NO|HOST|NET|PIPE"
    r"|ACCES|PERM|ADDR|AGAIN|BUSY)[A-Z]*\b)"
    # What went wrong, in whatever form of the word.
    r"|fail|refus|reject|denied|den(?:y|ies)\b|time[sd]?[ -]?out|timing out|deadlock|\bkill|crash|abort"
    r"|segfault|\bfaults?\b|core dump|declin|undeliver|insufficient|inconsistent|diverg|suspicious|intru[ds]|malware"
    r"|anomal|back-?off|preempt|starv|duplicate|pressure|too many|g(?:ave|iving) up|rate[ _-]?limit"
    r"|null ?p(?:oin)?te?r"
    r"|(?:disk|queue|buffer|pool|heap|table|memory|storage)(?: is)? full|in use\b|caused by"
    r"|no (?:response|reply|answer|heartbeat)"
    r"|\bun(?:reachable|available|able\b|authori[sz]ed|responsive|readable|synchron|handled|caught|clean|safe"
    r"|supported|recogni[sz]ed"
    r"|resolved|recoverable|stable|successful|usual|mounted|parsable|parseable|verified|trusted|deliverable|satisfi)"
    r"|forbidden|invalid|illegal|corrupt|exhaust|overflow|incorrect|incompatible|inaccessible|incomplete"
    r"|discard|misconfig"
    r"|mis-?behav|malform|abnormal|over-?(?:due|heat|draw|voltage|run\b|temp)"
    r"|under-?(?:run\b|flow|voltage|[ -]replicated)"
    r"|quarantin|suspect|fraud|tamper|spoof|phish|infect|\bvirus|brute[ -]?force|charge-?back|dead-?letter"
    r"|\bdlq\b|poison"
    r"|lock(?:ed|ing)?[ -]?(?:out|up)|\bdie[ds]?\b|\bdying\b|read-?only|fall(?:ing|s)? ?back|fell back"
    r"|circuit[ -]?breaker"
    r"|brown-?out|power[ -](?:off|loss|cut)|shut(?:ting|s)?[ -]?down|double free|use[- ]after[- ]free|split[- ]brain"
    r"|demoted|\bfenc(?:ed|ing)\b|isolated|off-?line|truncat|flapping|call trace|back-?trace|stack ?trace"
    r"|stack ?overflow"
    r"|bounced|deferred|(?:gone|went) away|closed (?:by|prematurely|unexpectedly|abruptly|forcibly)|dumped|on signal"
    r"|ab(?:end|errant)\b|emergenc|evacuat|\bfail(?:ed)?over"
    r"|exceed|expire"
    r"|evict|terminat|roll(?:ed|ing)?[ -]?back|violat|\bleak|missing|\blost\b|(?:packet|data)[ _]loss"
    r"|\bdrop(?:ped|s|ping)?\b|disconnect"
    r"|n['’]t\b|\b(?:not|cannot|no such|no space|no route|never|dead|down|stall(?:ed)?|stuck|hung"
    r"|unhealthy|unexpected"
    r"|unknown|bad|wrong|broken|conflict|mismatch|interrupt(?:ed)?|cancel(?:l?ed)?|retry(?:ing)?|retries|throttl\w+"
    r"|missed|hang(?:s|ing)?|oops|nan|stale|slow|halt(?:ed)?|threshold|incident|undefined"
    r"|degraded|assert(?:ion)?|differs?|negative|lag(?:s|ging)?|behind|delay(?:ed|s)?|frozen|freez(?:es?|ing)"
    r"|reverted|voided|reset|restart(?:ed|ing)?|attack|breach(?:ed|es)?|blocked|banned|overload(?:ed)?|outage"
    r"|skipp(?:ed|ing))\b"
    # Answers and exits that are none of success.
    r"|[✗✘❌✖⚠🚨💥⛔🛑🔥‼]|\b0x[8c][0-9a-f]{7}\b|\bORA-\d|\bSQLSTATE\b|\berrno\b|\bE\d{3,5}\b"
    r"|\bsev(?:erity)?[\"']?[ =:]+[\"']?(?:high|[0-4]\b)|\bP[01]\b"
    r"|HTTP/[\d.]+\"? [45]\d\d\b|\" [45]\d\d\b|\b(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS) \S+ [45]\d\d\b"
    r"|\b[45]\d\d \"?(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b|\| ?[45]\d\d ?\||(?:[=-]>|<[=-]|[←→]) ?[45]\d\d\b"
    r"|\b(?:respon(?:se|ded)|answer(?:ed)?|repl(?:y|ied)|got|result)(?: with)?[ :=]{1,2}[45]\d\d\b"
    r"|(?<![a-z])(?:status|code|http)(?:[ _-]?code)?[\"']?(?:[ =:]{1,2}| (?:of|is|was) )[45]\d\d\b"
    r"|\b(?:exit(?:ed|s)?|exit[ _-]?(?:code|status)|rc|return(?:ed|s)?)(?: with)?(?: code"
    r"| status)?[ =:]{1,2}-?[1-9]"
    r"|警告|警報|告警|报警|報警|预警|错误|錯誤|出错|出錯|报错|報錯|严重|嚴重|致命|异常|異常|失败|失敗|失效|超时|超時|逾时|逾時|拒绝|拒絕"
    r"|崩溃|崩潰|当机|當機|宕机|死机|死锁|死鎖|故障|中断|中斷|断开|斷開|断连|断线|丢失|丟失|丢包|丢弃|溢出|耗尽|耗盡|不足|不可用|不可达|不可達"
    r"|无法|無法|不能|未找到|找不到|不存在|未响应|无响应|無回應|未授权|越权|越界|禁止|非法|无效|無效|冲突|衝突|损坏|損壞|泄漏|泄露|终止|終止|被杀|杀死"
    r"|回滚|回滾|回退|熔断|降级|限流|掉线|离线|離線|过期|過期|阻塞|卡死|重试|重試|重启|重啟|取消|攻击|攻擊|超限|过载|缺失|缺少|驳回|駁回"
    r"|未通过|未能|不成功|未成功|不通|不一致|不匹配|违规|可疑|入侵|封禁|欠费|超出|超过|慢查询|积压|堆积|挂掉|挂起|卡住|失联|停机|宕|断电|撤销"
    r"|作废|没有响应|没响应|连不上|对不上|有误|错乱|差错|拦截|投诉|冻结|紧急|吃紧|人工介入|告急|用尽|写满|爆满|已满|占满|打满|拉黑|下线|退款|退单|退回|超卖"
    r"|重复扣|变慢|卡顿|延迟|被限|不过|未收到|未送达|未成|为负|停止|停机|停用|已停|差异|篡改|泄密|欺诈|盗刷|短缺|缺货|断货|逾期|退保|拒付|报废"
    r"|エラー|例外|障害|停止|切れ|落ち|タイムアウト|拒否|クラッシュ|できません|切断|오류|에러|실패|예외|거부|경고|초과|중단"
    r"|fehler|abgelehnt|verweigert|abgebrochen|abgestürzt|nicht |überschr|erschöpft|erreur|échec|échou"
    r"|introuvable|interdit|refus"
    r"|rechazad|denegad|agotad|ca[íi]d[ao]|sin espacio|no encontrad|recusad|rejeitad|esgotad|falha|falla\b"
    r"|rifiutat|negat[oa]\b"
    r"|scadut|fallit|mislukt|geweigerd|\bfout|\bfel\b|\bfeil\b|nekad|virhe|\bviga\b|chyba|\bhiba|błąd|odrzucon"
    r"|odmow|greška"
    r"|napaka|eroare|\bhata\b|gagal|ditolak|lỗi|σφάλμα|ошибк|отказ|отклон|сбой|потер|помилк",
    re.IGNORECASE | re.MULTILINE,
)
"""Marks of a line that matters: a level from warning on, and what tells of a failure at any level."""


def is_alarm(line: str) -> bool:
    """True for a line that tells of a warning or a failure."""
    return alarm_pattern().search(line) is not None


def without_writers(text: str) -> str:
    """The text with a NUL for time stamps and numbers of processes, threads and workers, line for line."""
    masked = _worker().sub(r"\1\0]", stamp_pattern().sub(_mask, text))
    if "]:" in masked:
        masked = _process().sub(r"\1\0", masked)
    # Looked for only where there are any: it is slow, since such words begin with common letters.
    return _numbered().sub("\0", masked) if any(word in text for word in _WORDS) else masked


def _mask(match: re.Match[str]) -> str:
    start = match.start()
    return match[0][: match.start(1) - start] + "\0"
