import { createHash } from 'node:crypto'
import { HubUnderTest } from '@farhand/hub/http/hub-under-test'
import { SyncStatus } from '@farhand/protocol/runs/sync-status'
import { FileUrls } from '@farhand/protocol/schemas/api'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { RawConnection } from '@farhand/testkit/raw-connection'
import { describe, expect, it } from 'vitest'
import { expectRefusal, Target } from './target-under-test.ts'

const message = '{"jsonrpc":"2.0","method":"_posthog/user_message","params":{"content":"hello"}}'
const patienceMs = 30_000
const nameOf = (bytes: Buffer) => `sha256_${createHash('sha256').update(bytes).digest('hex')}`

async function putAddress(target: Target, hash: string): Promise<string> {
  const asked = await target.hub.ask('POST', paths.fileUrls(target.at), { body: { hashes: [hash] } })
  const [address] = Object.values(FileUrls.parse(asked.body).missing)
  const url = new URL(address!)
  return `${url.pathname}${url.search}`
}

describe('a connection with any requests on it', { timeout: 120_000 }, () => {
  it('pipelined requests are answered in their order', async () => {
    const target = await Target.start()
    const connection = await target.connect()
    const post = target.request(`POST ${target.sync}`, message)
    const bad = target.request(`POST ${target.sync}`, '{')
    await connection.write(Buffer.concat([post, bad, post, target.request('GET /healthz'), bad, post]))
    expect(await connection.answer()).toMatchObject({ status: 202, body: '{"ids":[1],"lastEventId":1}' })
    expectRefusal(await connection.answer(), 'request.malformed')
    expect(await connection.answer()).toMatchObject({ status: 202, body: '{"ids":[2],"lastEventId":2}' })
    expect(await connection.answer()).toMatchObject({ status: 200 })
    expectRefusal(await connection.answer(), 'request.malformed')
    expect(await connection.answer()).toMatchObject({ status: 202, body: '{"ids":[3],"lastEventId":3}' })
    connection.leave()
    await target.isUnharmed(3)
  })

  it('W10 nonsense behind a good request does not take its place: no answer is better than a wrong one', async () => {
    const target = await Target.start()
    for (let stored = 0; stored < 20; stored += 1) {
      const connection = await target.connect()
      await connection.write(
        Buffer.concat([target.request(`POST ${target.sync}`, message), Buffer.from('\0\0\r\n\r\n')]),
      )
      const answer = await connection.answer()
      if (answer)
        expect(answer).toMatchObject({
          status: 202,
          body: `{"ids":[${stored + 1}],"lastEventId":${stored + 1}}`,
        })
      await connection.closed
      await expect.poll(() => target.lastId(), { timeout: patienceMs }).toBe(stored + 1)
    }
    await target.isUnharmed(20)
  })

  it('nonsense behind a stream ends the stream, and is not answered into it', async () => {
    const target = await Target.start()
    const connection = await target.connect()
    await connection.write(target.request(`GET ${target.sync}`, '', 'Accept: text/event-stream\r\n'))
    await expect.poll(() => connection.text(), { timeout: patienceMs }).toContain('event: live')
    await connection.write('nonsense\r\n\r\n')
    expect(await connection.answer()).toBeNull()
    await connection.closed
    expect(connection.text()).not.toContain('HTTP/1.1 400')
    await target.isUnharmed(0)
  })

  it('W10 W11 a turn cannot be streamed behind another answer, and its message is not stored then', async () => {
    const target = await Target.start()
    const connection = await target.connect()
    const stream = 'Content-Type: application/json\r\nAccept: text/event-stream\r\n'
    const turn = target.request(`POST ${target.sync}`, message, stream)
    const follow = target.request(`GET ${target.sync}`, '', stream)
    // Storing takes a moment, so that the others arrive while its answer is still owed.
    await connection.write(Buffer.concat([target.request(`POST ${target.sync}`, message), turn, follow]))
    expect(await connection.answer()).toMatchObject({ status: 202 })
    expectRefusal(await connection.answer(), 'request.malformed')
    expectRefusal(await connection.answer(), 'request.malformed')
    connection.leave()
    await target.isUnharmed(1)
  })

  it('W10 a request that breaks off at any place is not stored', async () => {
    const target = await Target.start()
    const whole = target.request(`POST ${target.sync}`, message)
    for (const end of [
      1,
      20,
      whole.length - message.length - 2,
      whole.length - message.length,
      whole.length - 1,
    ]) {
      for (const how of ['halfClose', 'leave', 'reset'] as const) {
        const connection = await target.connect()
        await connection.write(whole.subarray(0, end))
        connection[how]()
        if (how === 'halfClose') {
          const answer = await connection.answer()
          if (answer) expectRefusal(answer, 'request.malformed', 'request.timeout')
        }
        await connection.closed
        connection.leave()
      }
    }
    await target.isUnharmed(0)
  })

  it('W10 a sender that leaves before the answer has stored all of a batch or nothing', async () => {
    const target = await Target.start()
    for (const how of ['halfClose', 'leave', 'reset'] as const) {
      const batch = Array.from({ length: 50 }, () => ({ jsonrpc: '2.0', method: `_drill/${how}` }))
      const connection = await target.connect()
      await connection.write(target.request(`POST ${target.sync}`, JSON.stringify(batch)))
      connection[how]()
      await connection.closed
      connection.leave()
    }
    expect(await target.hub.post(target.at, JSON.parse(message))).toMatchObject({ status: 202 })
    const log = String((await target.hub.ask('GET', paths.log(target.at))).body)
    for (const how of ['halfClose', 'leave', 'reset'])
      expect([0, 50]).toContain(log.split(`"_drill/${how}"`).length - 1)
  })

  it('W23 a runner that left before its stream was opened does not count as listening', async () => {
    const before = await Target.start()
    const runs: { at: RunAddress; token: string }[] = []
    for (let count = 0; count < 10; count += 1) {
      const at = await before.hub.run()
      runs.push({ at, token: (await before.hub.runner(at)).token })
    }
    await before.hub.hub.stop()
    // A hub that has just started still has to open the logs, and meanwhile the runner is gone.
    const hub = await HubUnderTest.on(before.hub.data, {}, before.hub.token)
    const port = Number(new URL(hub.hub.url).port)
    for (const { at, token } of runs) {
      const connection = await RawConnection.open(port)
      await connection.write(
        `GET ${paths.sync(at)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
      )
      connection.leave()
    }
    const readers = async () =>
      String((await hub.ask('GET', paths.metrics())).body).match(/^farhand_readers .*$/m)?.[0]
    // The hub may have let one in before it heard that it had left, and that may be after the first look.
    const healthy = async () => {
      const all = await Promise.all(runs.map(({ at }) => hub.ask('GET', paths.status(at))))
      return {
        readers: await readers(),
        healthy: all.filter(({ body }) => SyncStatus.parse(body).sandboxHealthy).length,
      }
    }
    await expect.poll(healthy, { timeout: patienceMs }).toEqual({ readers: 'farhand_readers 0', healthy: 0 })
  })

  it('W3 malformed chunks are refused, and nothing of them is stored', async () => {
    const target = await Target.start()
    const head = `POST ${target.sync} HTTP/1.1\r\n${target.head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const size = message.length.toString(16)
    const bodies = [
      'x\r\n',
      '-5\r\nhello\r\n0\r\n\r\n',
      'ffffffffffffffffffff\r\n',
      '5\r\nhello!!\r\n0\r\n\r\n',
      `${size}\r\n${message}0\r\n\r\n`,
      `${size}\r\n${message}\r\nz\r\n`,
      '0\r\n\r\n',
      `${size}\r\n${message}\r\n${size}\r\n${message}\r\n0\r\n\r\n`,
    ]
    for (const body of bodies) expectRefusal(await target.send(head + body), 'request.malformed')
    expect(await target.send(`${head}${size};x=y\r\n${message}\r\n0\r\nTrailer: x\r\n\r\n`)).toMatchObject({
      status: 202,
    })
    await target.isUnharmed(1)
  })

  it('W10 a body that never ends is refused as soon as it is too large, and its connection closed', async () => {
    const target = await Target.start()
    const stranger = `Host: 127.0.0.1:${target.port}\r\n`
    const endless = [
      [`POST ${target.sync}`, target.head, 'request.too-large'],
      [`POST ${target.sync}`, stranger, 'token.missing'],
      ['POST /api/sign-in', stranger, 'request.too-large'],
      ['POST /nowhere', stranger, 'route.unknown'],
    ] as const
    const pour = async (line: string, head: string) => {
      const connection = await target.connect()
      const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
      await connection.write(`${line} HTTP/1.1\r\n${head}${chunked}\r\n`)
      const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`)
      const answer = connection.answer()
      while (!connection.isClosed) await connection.write(chunk)
      return answer
    }
    const answers = await Promise.all(endless.map(([line, head]) => pour(line, head)))
    for (const [index, answer] of answers.entries()) expectRefusal(answer, endless[index]![2])
    await target.isUnharmed(0)
  })

  it('W24 uploads that break off leave nothing behind, and can be made again', async () => {
    const target = await Target.start()
    const bytes = Buffer.alloc(3 * 1024 * 1024, 'upload')
    const hash = nameOf(bytes)
    const address = await putAddress(target, hash)
    const head = `PUT ${address} HTTP/1.1\r\n${target.head}Content-Length: ${bytes.length}\r\n\r\n`
    for (const size of [0, 1000, 1024 * 1024, bytes.length - 1]) {
      for (const how of ['halfClose', 'leave', 'reset'] as const) {
        const connection = await target.connect()
        await connection.write(head)
        await connection.write(bytes.subarray(0, size))
        connection[how]()
        await connection.closed
        connection.leave()
      }
    }
    await target.nothingUnderWay()
    const wrong = await target.send(Buffer.concat([Buffer.from(head), bytes.subarray(1), Buffer.from('x')]))
    expectRefusal(wrong, 'blob.mismatch')
    await target.nothingUnderWay()
    const whole = Buffer.concat([Buffer.from(head), bytes])
    const both = await Promise.all([target.send(whole), target.send(whole)])
    for (const answer of both) expect(answer).toMatchObject({ status: 201 })
    await target.isUnharmed(0)
  })
})
