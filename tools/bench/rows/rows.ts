import type { Row } from '../row.ts'
import { append } from './append.ts'
import { batches } from './batches.ts'
import { catchup } from './catchup.ts'
import { fanout } from './fanout.ts'
import { idle } from './idle.ts'
import { latency } from './latency.ts'
import { open } from './open.ts'
import { stalled } from './stalled.ts'

export const rows: readonly Row[] = [append, batches, fanout, latency, catchup, idle, stalled, open]
