import type { Row } from './row.ts'
import { append } from './rows/append.ts'
import { batches } from './rows/batches.ts'
import { catchup } from './rows/catchup.ts'
import { device } from './rows/device.ts'
import { devices } from './rows/devices.ts'
import { fanout } from './rows/fanout.ts'
import { idle } from './rows/idle.ts'
import { latency } from './rows/latency.ts'
import { open } from './rows/open.ts'
import { sandboxAsleep } from './rows/sandbox-asleep.ts'
import { sandboxFiles } from './rows/sandbox-files.ts'
import { sandboxRecovery } from './rows/sandbox-recovery.ts'
import { sandboxStart } from './rows/sandbox-start.ts'
import { stalled } from './rows/stalled.ts'
import { syncBurst } from './rows/sync-burst.ts'
import { syncFirst } from './rows/sync-first.ts'
import { syncLarge } from './rows/sync-large.ts'
import { syncLatency } from './rows/sync-latency.ts'
import { syncRestart } from './rows/sync-restart.ts'
import { syncTen } from './rows/sync-ten.ts'
import { syncWatch } from './rows/sync-watch.ts'
import { turnFlood } from './rows/turn-flood.ts'
import { turnLatency } from './rows/turn-latency.ts'
import { webInput } from './rows/web-input.ts'
import { webPaint } from './rows/web-paint.ts'
import { webScroll } from './rows/web-scroll.ts'
import { webSize } from './rows/web-size.ts'

const hubRows = [append, batches, fanout, latency, catchup, idle, stalled, open, devices]
const syncRows = [syncLatency, syncBurst, syncFirst, syncRestart, syncLarge, syncWatch, syncTen, device]

const turnRows = [turnLatency, turnFlood]
const sandboxRows = [sandboxAsleep, sandboxStart, sandboxFiles, sandboxRecovery]

const webRows = [webSize, webPaint, webInput, webScroll]

export const rows: readonly Row[] = [...hubRows, ...syncRows, ...turnRows, ...sandboxRows, ...webRows]
