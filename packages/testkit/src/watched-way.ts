import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { onLoopback } from './on-loopback.ts'

/** A request that writes into a log, when it has left its sender, or when it is stored and nobody was told yet. */
export type Passing = { at: 'leaving' | 'stored'; lines: readonly string[] }

/** What becomes of it after that: it goes on its way, or it is lost. */
export type Fortune = 'passes' | 'is lost'

export type WatchedWay = { url: string; close(): Promise<void> }

/**
 * A way to a hub on this machine on which everything that is written into a log is shown twice, and waits meanwhile.
 * What has left its sender arrives even if the sender has died since, unless it is lost.
 */
export async function watchedWay(
  port: number,
  watch: (passing: Passing) => Promise<Fortune>,
): Promise<WatchedWay> {
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
    // A hub that is not there, or dies meanwhile, looks from here as it would without this way.
    pass(near, back).catch(() => back.destroy())
  })
  return onLoopback(server)
}

async function all(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
