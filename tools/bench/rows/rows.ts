import type { Row } from '../row.ts'
import { append } from './append.ts'
import { batches } from './batches.ts'
import { catchup } from './catchup.ts'
import { fanout } from './fanout.ts'
import { idle } from './idle.ts'
import { latency } from './latency.ts'
import { open } from './open.ts'
import { sandboxAsleep } from './sandbox-asleep.ts'
import { sandboxFiles } from './sandbox-files.ts'
import { sandboxRecovery } from './sandbox-recovery.ts'
import { sandboxStart } from './sandbox-start.ts'
import { stalled } from './stalled.ts'
import { syncBurst } from './sync-burst.ts'
import { syncFirst } from './sync-first.ts'
import { syncLarge } from './sync-large.ts'
import { syncLatency } from './sync-latency.ts'
import { syncRestart } from './sync-restart.ts'
import { syncTen } from './sync-ten.ts'
import { syncWatch } from './sync-watch.ts'
import { turnFlood } from './turn-flood.ts'
import { turnLatency } from './turn-latency.ts'
import { webInput } from './web-input.ts'
import { webPaint } from './web-paint.ts'
import { webScroll } from './web-scroll.ts'
import { webSize } from './web-size.ts'

const hubRows = [append, batches, fanout, latency, catchup, idle, stalled, open]
const syncRows = [syncLatency, syncBurst, syncFirst, syncRestart, syncLarge, syncWatch, syncTen]

const turnRows = [turnLatency, turnFlood]
const sandboxRows = [sandboxAsleep, sandboxStart, sandboxFiles, sandboxRecovery]

const webRows = [webSize, webPaint, webInput, webScroll]

export const rows: readonly Row[] = [...hubRows, ...syncRows, ...turnRows, ...sandboxRows, ...webRows]
