import { NewRunLink, runLink, type SharedRun, usualLinkDays } from '@farhand/protocol/schemas/sharing'
import { Fault } from '@farhand/protocol/wire/faults'
import { RunId } from '@farhand/protocol/wire/ids'
import { createRunLink, listRunLinks, revokeRunLink, runOfLink, titleOf } from '../../../access/run-links.ts'
import { readJson } from '../../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../../exchange/exchange.ts'
import type { HubParts } from '../../hub-parts/hub-parts.ts'
import { endAccess } from '../account/end-access.ts'
import { urlOfHub } from './url-of-hub.ts'

/** `POST .../runs/{run}/links` (W113). */
export async function postRunLink(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await parts.directory.run(exchange)
  const { days = usualLinkDays } = parse(NewRunLink, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  const by = userOf(exchange.who).user
  const now = new Date()
  const { id, token } = await createRunLink(parts.db, run.id, { days, by }, now)
  const [listed] = await listRunLinks(parts.db, by, { id }, now)
  answerJson(exchange.res, 201, { ...listed, token, link: runLink(urlOfHub(parts, exchange), token) })
}

/** `GET /api/run-links`: of the runs in the projects that the caller owns (W113). */
export async function getRunLinks(parts: HubParts, { res, query, who }: Exchange): Promise<void> {
  const said = query.get('run')
  const run = said === null ? undefined : parse(RunId, said, 'run')
  const items = await listRunLinks(parts.db, userOf(who).user, { run }, new Date())
  answerJson(res, 200, { items, next: null })
}

/** `DELETE /api/run-links/{link}` (W113). */
export async function deleteRunLink(parts: HubParts, exchange: Exchange): Promise<void> {
  const id = exchange.params.link ?? ''
  const run = await runOfLink(parts.db, id)
  const unknown = new Fault('link.unknown', 'you have no such link; it may have been revoked before')
  if (run === null) throw unknown
  await parts.directory.anyRun({ ...exchange, params: { run } }).catch((error) => {
    // A stranger must not learn that there is such a link.
    throw error instanceof Fault && error.code === 'run.unknown' ? unknown : error
  })
  await revokeRunLink(parts.db, id)
  await endAccess(parts)
  answerJson(exchange.res, 200, { ok: true })
}

/** `GET /api/shared-run`: what the link of the caller shows (W114). */
export async function getSharedRun(parts: HubParts, exchange: Exchange): Promise<void> {
  const { who, res } = exchange
  if (who?.kind !== 'guest') throw new Error('the route let in a caller that is no guest')
  const run = await parts.directory.anyRun({ ...exchange, params: { run: who.run } })
  const { id, project, task, agent, mode, sandbox, createdAt } = run
  const title = await titleOf(parts.db, id)
  const shared: SharedRun = {
    id,
    project,
    task,
    title,
    agent,
    mode,
    sandbox,
    createdAt,
    expiresAt: who.expiresAt,
  }
  answerJson(res, 200, shared)
}
