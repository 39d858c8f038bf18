import { rawSocket } from './raw-socket.ts'
import { getRequest } from './readers.ts'

export type Download = { port: number; path: string; headers?: Record<string, string> }

/**
 * Fetches once and gives the time from the request to the last byte. The last byte is where the connection ends or,
 * for a stream that stays open, where `lastWords` are read.
 */
export async function download(
  target: Download,
  lastWords: string | null,
  look: (chunk: Buffer) => void = () => {},
): Promise<{ bytes: number; ms: number }> {
  const words = lastWords === null ? null : Buffer.from(lastWords)
  let tail = Buffer.alloc(0)
  let bytes = 0
  let status = ''
  let finish: (error?: Error) => void = () => {}
  const finished = new Promise<number>((resolve, reject) => {
    finish = (error) => (error === undefined ? resolve(performance.now()) : reject(error))
  })
  const socket = await rawSocket(target.port, (chunk) => {
    if (status === '') {
      status = chunk.toString('latin1', 9, 12)
      if (status !== '200') throw new Error(`answered ${status}: ${chunk.toString('utf8', 0, 500)}`)
    }
    bytes += chunk.length
    look(chunk)
    if (words === null) return
    // Only the end is searched: looking through all of it would measure the looking.
    tail = Buffer.concat([tail, chunk.subarray(-256)]).subarray(-256)
    if (tail.includes(words)) finish()
  })
  socket.on('error', (error) => finish(error))
  socket.on('close', () => (words === null ? finish() : finish(new Error('the stream ended too early'))))
  const timer = setTimeout(() => socket.destroy(new Error('no end within 60 s')), 60_000)
  try {
    const headers = words === null ? { ...target.headers, Connection: 'close' } : (target.headers ?? {})
    const started = performance.now()
    socket.write(getRequest({ ...target, headers }))
    return { ms: (await finished) - started, bytes }
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}
