import { join } from 'node:path'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { Disk } from './disk/disk.ts'

/** Reports trouble to the operator of the hub, whether it was fixed or not. */
export type Report = (about: { run: RunId } & Record<string, unknown>, message: string) => void

/** Where and how the log of a run is stored. `writeBytesMax`: how much is written at once, and so how much a crash can tear. */
export type LogPlace = { disk: Disk; folder: string; run: RunId; report: Report; writeBytesMax: number }

export const logPath = (place: LogPlace) => join(place.folder, `${place.run}.jsonl`)
export const headPath = (place: LogPlace) => join(place.folder, `${place.run}.head.json`)
