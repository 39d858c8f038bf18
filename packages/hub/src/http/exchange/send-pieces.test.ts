import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { sendPieces } from './send-pieces.ts'

const megabyte = 1024 * 1024

async function serving<Result>(
  pieces: () => AsyncIterable<Uint8Array>,
  act: (answer: IncomingMessage, sending: Promise<unknown>) => Promise<Result>,
): Promise<Result> {
  let sending: Promise<unknown> = Promise.resolve()
  const server = createServer((_, res: ServerResponse) => {
    sending = sendPieces(res, { 'Content-Type': 'x/y' }, pieces()).catch((error) => error)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asking = request({ port: (server.address() as AddressInfo).port }).end()
  asking.on('error', () => {})
  try {
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    return await act(answer, sending)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function* many(count: number, size: number, seen: { count: number; over?: boolean } = { count: 0 }) {
  try {
    for (let n = 0; n < count; n++) {
      seen.count++
      yield Buffer.alloc(size, n)
    }
  } finally {
    seen.over = true
  }
}

it('sends the pieces in order; one alone, or none, with its length', async () => {
  for (const count of [0, 1, 2, 20]) {
    await serving(
      () => many(count, 100_000),
      async (answer) => {
        expect(answer.headers['content-type']).toBe('x/y')
        expect(answer.headers['content-length']).toBe(count < 2 ? `${count * 100_000}` : undefined)
        const body = await buffer(answer)
        expect(
          body.equals(Buffer.concat(Array.from({ length: count }, (_, n) => Buffer.alloc(100_000, n)))),
        ).toBe(true)
      },
    )
  }
})

it('W20 asks for no more than the reader takes, and for nothing once the reader has left', async () => {
  const seen: { count: number; over?: boolean } = { count: 0 }
  await serving(
    () => many(1000, megabyte, seen),
    async (answer, sending) => {
      await once(answer, 'readable')
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
      expect(seen.count).toBeLessThan(100)
      expect(seen.over).toBeUndefined()
      answer.destroy()
      expect(await sending).toBeUndefined()
      expect(seen.over).toBe(true)
      expect(seen.count).toBeLessThan(100)
    },
  )
})

it('breaks off an answer that cannot be finished', async () => {
  const failing = async function* () {
    yield* many(3, megabyte)
    throw new Error('the disk is gone')
  }
  await serving(failing, async (answer, sending) => {
    await expect(buffer(answer)).rejects.toThrow('aborted')
    expect(await sending).toMatchObject({ message: 'the disk is gone' })
  })
})
