import { SecretName } from '@farhand/protocol/schemas/sandbox-terms'
import { NewSecret } from '@farhand/protocol/schemas/secrets'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

export async function getSecrets(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res } = exchange
  const project = await parts.directory.project(exchange)
  answerJson(res, 200, { items: await parts.vault.list(project.id), next: null })
}

/** `PUT .../secrets/{name}`. It is idempotent without a key; storing a digest for one would reveal short values. */
export async function putSecret(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, params } = exchange
  const project = await parts.directory.project(exchange)
  const name = parse(SecretName, params.name, 'name')
  const body = await readJson(req, parts.config.bodyTimeoutMs).catch((error: unknown) => {
    // The parser's message quotes from the text, which may hold the secret.
    if (error instanceof Fault && error.code === 'request.malformed')
      throw malformed('body', 'is not JSON in UTF-8')
    throw error
  })
  answerJson(res, 200, await parts.vault.keep(project.id, name, parse(NewSecret, body), new Date()))
}

export async function deleteSecret(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res, params } = exchange
  const project = await parts.directory.project(exchange)
  await parts.vault.forget(project.id, params.name ?? '')
  answerJson(res, 200, { ok: true })
}
