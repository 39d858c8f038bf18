import { SetupCache, SetupKey } from '@farhand/protocol/schemas/setup-cache'
import { Fault } from '@farhand/protocol/wire/faults'
import { hasAgentWorked } from '../../runs/has-agent-worked.ts'
import { knownBlobs, renewBlobs } from '../../store/project-blobs.ts'
import { findSetupCache, keepSetupCache } from '../../store/setup-caches.ts'
import { answerJson, type Exchange, parse } from '../exchange/exchange.ts'
import { readJson } from '../exchange/read-json.ts'
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
