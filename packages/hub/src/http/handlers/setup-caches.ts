import { isEvent } from '@farhand/protocol/events/event-names'
import type { EventName } from '@farhand/protocol/methods/methods'
import { SetupCache, SetupKey } from '@farhand/protocol/schemas/setup-cache'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { EventLog } from '../../log/event-log.ts'
import { knownBlobs, renewBlobs } from '../../store/project-blobs.ts'
import { findSetupCache, keepSetupCache } from '../../store/setup-caches.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { authorizedRun } from './authorized-run.ts'

/** `GET .../setup-cache/{key}`: the runner is about to use it, which renews its expiry (W42). */
export async function getSetupCache(parts: HubParts, exchange: Exchange): Promise<void> {
  const { project } = await authorizedRun(parts, exchange)
  const key = parse(SetupKey, exchange.params.key, 'key')
  const kept = await findSetupCache(parts.db, project, key)
  const known = kept && (await knownBlobs(parts.db, project, [kept.hash]))
  if (!kept || !known?.has(kept.hash)) throw new Fault('setup.unknown', 'nothing is kept under this key')
  await renewBlobs(parts.db, project, [kept.hash], new Date())
  answerJson(exchange.res, 200, kept)
}

/**
 * `PUT .../setup-cache/{key}`. An agent may get hold of its runner's token, so the hub itself checks in the log that the agent has not
 * worked yet. The blob may be uploaded later, as its hash fixes its content.
 */
export async function putSetupCache(parts: HubParts, exchange: Exchange): Promise<void> {
  const { id, project } = await authorizedRun(parts, exchange)
  const key = parse(SetupKey, exchange.params.key, 'key')
  const cache = parse(SetupCache, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  if (await hasAgentWorked(parts.log, id))
    throw new Fault('setup.refused', 'an agent has worked in this run: what is there may be its doing')
  await keepSetupCache(parts.db, { project, key, madeBy: id }, cache, new Date())
  answerJson(exchange.res, 200, { ok: true })
}

const chunkBytes = 512 * 1024
/** A message is acknowledged before the agent sees it, and an agent may act as soon as it starts (W29). */
const begins: readonly EventName[] = ['ack', 'agent_start']
const methods = begins.map(wireName)

/** Whether an agent has ever worked in a run: then the files of its sandbox may be the agent's work. */
async function hasAgentWorked(log: EventLog, run: RunId): Promise<boolean> {
  for (let after = 0; ; ) {
    const chunk = await log.read(run, after, chunkBytes)
    if (!chunk) return false
    const lines = chunk.bytes.toString()
    // A quick check before parsing: most of these logs have no such event, and long ones are full of files.
    if (methods.some((method) => lines.includes(method)) && lines.split('\n').some(isBeginning)) return true
    after = chunk.lastId
    await new Promise(setImmediate)
  }
}

function isBeginning(line: string): boolean {
  if (line === '') return false
  return isEvent((JSON.parse(line) as StoredEvent).notification, ...begins)
}
