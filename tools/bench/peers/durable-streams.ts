import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Children, printedPort } from '../children.ts'
import type { PostTarget } from '../load/post.ts'
import type { ReadTarget } from '../load/readers.ts'
import { node } from '../node-program.ts'

export type DurableStreams = {
  /** Makes a stream of JSON messages. */
  stream(name: string): Promise<{ append: PostTarget; read: ReadTarget }>
}

/** The reference server in a process of its own, with its file store or, without a folder, in memory. */
export async function startDurableStreams(
  children: Children,
  module: string,
  folder: string | null,
): Promise<DurableStreams> {
  const program = fileURLToPath(new URL('durable-streams-server.mjs', import.meta.url))
  const data = folder === null ? [] : [join(folder, 'durable-streams')]
  const port = await printedPort(children.start(node, [program, module, ...data]))
  return {
    async stream(name) {
      const path = `/v1/stream/${name}`
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'PUT', headers })
      if (!answer.ok) throw new Error(`durable-streams would not make a stream: ${answer.status}`)
      return {
        append: { port, path, headers },
        read: { port, path: `${path}?offset=now&live=sse`, ready: 'upToDate' },
      }
    },
  }
}
