import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileUrls } from '@farhand/protocol/schemas/api'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { paths } from '@farhand/protocol/wire/routes'
import type { RawConnection } from '@farhand/testkit/raw-connection'
import { describe, expect, it } from 'vitest'
import { expectRefusal, Target } from './target-under-test.ts'

const message = '{"jsonrpc":"2.0","method":"_posthog/user_message","params":{"content":"hello"}}'
/** How long the hub waits here; what it does after that is waited for, however long it takes. */
const patient = { bodyTimeoutMs: 1000 }
const betweenBytesMs = 50

/** Sends the bytes one at a time until all are sent or the hub has closed the connection. */
async function trickle(connection: RawConnection, bytes: Uint8Array): Promise<void> {
  for (const byte of bytes) {
    if (connection.isClosed) return
    await connection.write(Uint8Array.of(byte))
    await sleep(betweenBytesMs)
  }
}

/** The head of a request that puts these bytes where they belong. */
async function upload(target: Target, bytes: Buffer): Promise<{ head: string }> {
  const hash = `sha256_${createHash('sha256').update(bytes).digest('hex')}`
  const asked = await target.hub.ask('POST', paths.fileUrls(target.at), { body: { hashes: [hash] } })
  const url = new URL(FileUrls.parse(asked.body).missing[BlobHash.parse(hash)]!)
  const length = `Content-Length: ${bytes.length}`
  return { head: `PUT ${url.pathname}${url.search} HTTP/1.1\r\n${target.head}${length}\r\n\r\n` }
}

describe('a slow request', { timeout: 120_000 }, () => {
  it('W3 whose head comes byte by byte, or stops, is answered with 408', async () => {
    const target = await Target.start(patient)
    const head = target.request('GET /healthz').subarray(0, -2)
    const stopping = [0, 1, 4, 20, head.length].map(async (bytes) => {
      const connection = await target.connect()
      await connection.write(head.subarray(0, bytes))
      expectRefusal(await connection.answer(), 'request.timeout')
      await connection.closed
    })
    const trickling = [head, target.request(`POST ${target.sync}`, message)].map(async (bytes) => {
      const connection = await target.connect()
      const sent = trickle(connection, bytes)
      expectRefusal(await connection.answer(), 'request.timeout')
      await Promise.all([sent, connection.closed])
    })
    await Promise.all([...stopping, ...trickling])
    await target.isUnharmed(0)
  })

  it('W3 whose body comes byte by byte, or stops, is answered with 408, and nothing of it is stored', async () => {
    const target = await Target.start(patient)
    const { project, task } = target.at
    const routes = [
      target.sync,
      paths.projects(),
      paths.tasks(project),
      paths.runs(project, task),
      paths.runner(target.at),
      paths.fileUrls(target.at),
      paths.signIn(),
    ]
    const slow = routes.flatMap((route) => {
      const whole = target.request(`POST ${route}`, `${message}${' '.repeat(1000)}`)
      const begin = whole.length - message.length - 1000
      return [
        { first: whole.subarray(0, begin), after: Buffer.alloc(0) },
        { first: whole.subarray(0, -1), after: Buffer.alloc(0) },
        { first: whole.subarray(0, begin), after: whole.subarray(begin) },
      ]
    })
    const chunked = `POST ${target.sync} HTTP/1.1\r\n${target.head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    slow.push({ first: Buffer.from(`${chunked}5\r\nhel`), after: Buffer.alloc(0) })
    slow.push({ first: Buffer.from(chunked), after: Buffer.from('1\r\n \r\n'.repeat(1000)) })
    await Promise.all(
      slow.map(async ({ first, after }) => {
        const connection = await target.connect()
        await connection.write(first)
        const sent = trickle(connection, after)
        expectRefusal(await connection.answer(), 'request.timeout')
        await Promise.all([sent, connection.closed])
      }),
    )
    await target.isUnharmed(0)
  })

  it('W24 an upload that stalls is answered with 408 and leaves nothing behind', async () => {
    const target = await Target.start(patient)
    const bytes = Buffer.alloc(600_000, 'slow')
    const { head } = await upload(target, bytes)
    await Promise.all(
      [0, 1, 100_000, 599_999].map(async (size) => {
        const connection = await target.connect()
        await connection.write(head)
        await connection.write(bytes.subarray(0, size))
        expectRefusal(await connection.answer(), 'request.timeout')
        await connection.closed
      }),
    )
    await target.nothingUnderWay()
    await target.isUnharmed(0)
  })

  it('W24 an upload may take longer than the hub waits for the next of its bytes', async () => {
    // Long enough that a busy machine does not pause for it: then the hub would be right to give up.
    const waitsMs = 2500
    const target = await Target.start({ bodyTimeoutMs: waitsMs })
    const bytes = Buffer.alloc(600_000, 'slow')
    const { head } = await upload(target, bytes)
    const connection = await target.connect()
    await connection.write(head)
    const began = performance.now()
    const slow = Math.ceil((waitsMs * 1.2) / betweenBytesMs)
    await trickle(connection, bytes.subarray(0, slow))
    expect(performance.now() - began).toBeGreaterThan(waitsMs)
    await connection.write(bytes.subarray(slow))
    expect(await connection.answer()).toMatchObject({ status: 201 })
    connection.leave()
    await target.isUnharmed(0)
  })

  it('W24 an upload that is too large is refused, with a declared length or without', async () => {
    const target = await Target.start({ maxBlobBytes: 100_000 })
    const hash = `sha256_${'a'.repeat(64)}`
    const asked = await target.hub.ask('POST', paths.fileUrls(target.at), { body: { hashes: [hash] } })
    const url = new URL(FileUrls.parse(asked.body).missing[BlobHash.parse(hash)]!)
    const put = `PUT ${url.pathname}${url.search} HTTP/1.1\r\n${target.head}`
    expectRefusal(await target.send(`${put}Content-Length: 100001\r\n\r\n`), 'request.too-large')
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    expectRefusal(
      await target.send(`${put}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`),
      'request.too-large',
    )
    await target.nothingUnderWay()
    await target.isUnharmed(0)
  })

  it('a client that got an answer before sending everything is not waited for', async () => {
    const target = await Target.start(patient)
    const unsent = 'Content-Length: 1000000\r\n\r\n'
    await Promise.all(
      [`GET /healthz`, `GET ${target.sync}/status`, `DELETE /nowhere`, `GET ${paths.log(target.at)}`].map(
        async (line) => {
          const connection = await target.connect()
          await connection.write(`${line} HTTP/1.1\r\n${target.head}${unsent}`)
          expect(await connection.answer()).not.toBeNull()
          await trickle(connection, new Uint8Array(1000))
          expect(connection.isClosed).toBe(true)
        },
      ),
    )
    await target.isUnharmed(0)
  })
})
