import { createHash } from 'node:crypto'
import { FileUrl, FileUrls } from '@farhand/protocol/schemas/api'
import { paths } from '@farhand/protocol/wire/routes'
import type { Call } from '../call-hub.ts'
import { BrokenPromise } from './log-rules.ts'
import type { Stage } from './stage.ts'
import { show } from './stamped-writer.ts'

type Blob = { hash: string; text: string }

/** Uploads file contents; once told that they are there they must be, for events that name them too (W24). */
export async function upload(stage: Stage): Promise<void> {
  const dice = stage.dice.fork()
  const stored: Blob[] = []
  while (!stage.closing) {
    const text = `${stored.length} `.repeat(
      dice.chance(0.1) ? dice.between(1, 200_000) : dice.between(1, 100),
    )
    const blob = { hash: `sha256_${createHash('sha256').update(text).digest('hex')}`, text }
    await put(stage, blob)
    stored.push(blob)
    await name(stage, blob, stored.length)
    await check(stage, dice.chance(0.5) ? blob : stored[dice.between(0, stored.length - 1)]!)
  }
  for (const blob of stored.slice(-50)) await check(stage, blob)
}

/** Asks until there is an answer of the kind that is expected. */
async function ask(stage: Stage, status: number, call: Omit<Call, 'token'>): Promise<string> {
  for (;;) {
    const answer = await stage.call(call)
    if (answer === 'lost' || answer.status === 503) continue
    if (answer.status === status) return answer.text
    throw new BrokenPromise(`${call.method} ${call.path.slice(0, 120)}: ${show(answer)}`)
  }
}

const pathOf = (url: string) => url.slice(new URL(url).origin.length)

async function put(stage: Stage, { hash, text }: Blob): Promise<void> {
  const asked = { method: 'POST', path: paths.fileUrls(stage.at), body: JSON.stringify({ hashes: [hash] }) }
  const { missing } = FileUrls.parse(JSON.parse(await ask(stage, 200, asked)))
  const address = Object.values(missing)[0]
  if (address) await ask(stage, 201, { method: 'PUT', path: pathOf(address), body: text })
}

async function name(stage: Stage, { hash, text }: Blob, count: number): Promise<void> {
  const params = { path: 'drill.txt', action: 'modified', hash, size: text.length, mode: '100644', was: null }
  const body = JSON.stringify({ jsonrpc: '2.0', method: '_posthog/file_sync', params })
  const headers = { 'Idempotency-Key': `blob-${count}`, 'Device-Id': 'dev_uploader' }
  await ask(stage, 202, { method: 'POST', path: stage.path, headers, body })
}

async function check(stage: Stage, { hash, text }: Blob): Promise<void> {
  const asked = { method: 'GET', path: `${paths.fileUrl(stage.at)}?hash=${hash}` }
  const { url } = FileUrl.parse(JSON.parse(await ask(stage, 200, asked)))
  const found = await ask(stage, 200, { method: 'GET', path: pathOf(url) })
  if (found !== text) throw new BrokenPromise(`blob ${hash} has ${found.length} bytes, not what was sent`)
}
