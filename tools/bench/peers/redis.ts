import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { answers, type Children, freePort } from '../children.ts'

/** A redis of our own that acknowledges only what an fsync has made durable. */
export async function startRedis(children: Children, folder: string): Promise<{ port: number }> {
  const port = await freePort()
  const data = join(folder, 'redis')
  mkdirSync(data)
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: data,
    appendonly: 'yes',
    appendfsync: 'always',
    // A rewrite or a snapshot in the middle of a round would be measured with it.
    save: '',
    'auto-aof-rewrite-percentage': 0,
    daemonize: 'no',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  await answers(children.start('redis-server', args), port)
  return { port }
}

export function xadd(key: string, value: Buffer): Buffer {
  const start = `*5\r\n$4\r\nXADD\r\n$${key.length}\r\n${key}\r\n$1\r\n*\r\n$1\r\nf\r\n$${value.length}\r\n`
  return Buffer.concat([Buffer.from(start), value, Buffer.from('\r\n')])
}
