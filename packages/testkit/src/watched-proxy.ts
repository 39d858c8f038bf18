import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { onLoopback } from './on-loopback.ts'

/** A request that writes into a log: after it has left its sender, or after the hub has stored it and before the sender gets the answer. */
export type PassingRequest = { at: 'leaving' | 'stored'; lines: readonly string[] }

/** What happens to it then. */
export type Outcome = 'passes' | 'is lost'

export type WatchedProxy = { url: string; close(): Promise<void> }

/**
 * A proxy to a hub on this machine that calls `watch` twice for each request which writes into a log, and waits for it.
 * Such a request arrives even if its sender has died since, unless `watch` has it lost.
 */
export async function watchedProxy(
  port: number,
  watch: (passing: PassingRequest) => Promise<Outcome>,
): Promise<WatchedProxy> {
  const pass = async (near: IncomingMessage, back: ServerResponse) => {
    const isWriting = near.method === 'POST' && near.url!.endsWith('/sync')
    const body = isWriting ? await all(near) : null
    const lines = body?.toString('utf8').split('\n') ?? []
    if (isWriting && (await watch({ at: 'leaving', lines })) === 'is lost') return void back.destroy()
    const { method, url: path, headers } = near
    const far = request({ port, host: '127.0.0.1', method, path, headers, agent: false })
    const answered = once(far, 'response')
    if (body) far.end(body)
    else {
      near.pipe(far)
      back.on('close', () => far.destroy())
    }
    const [answer] = (await answered) as [IncomingMessage]
    const status = answer.statusCode!
    if (body) {
      const said = await all(answer)
      const isLost = status < 300 && (await watch({ at: 'stored', lines })) === 'is lost'
      if (isLost) back.destroy()
      else back.writeHead(status, answer.headers).end(said)
      return
    }
    back.writeHead(status, answer.headers).flushHeaders()
    answer.on('close', () => answer.complete || back.destroy())
    answer.on('error', () => back.destroy())
    answer.pipe(back)
  }
  const server = createServer((near, back) => {
    near.on('error', () => {})
    back.on('error', () => {})
    // A hub that is not running, or dies meanwhile, looks to the client as it does without the proxy.
    pass(near, back).catch(() => back.destroy())
  })
  return onLoopback(server)
}

async function all(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
