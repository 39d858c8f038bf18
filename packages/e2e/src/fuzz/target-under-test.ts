import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HubConfig } from '@farhand/hub/config/hub-config'
import { HubUnderTest } from '@farhand/hub/http/hub-under-test'
import { FaultAnswer, faults } from '@farhand/protocol/wire/faults'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { type RawAnswer, RawConnection } from '@farhand/testkit/raw-connection'
import { expect } from 'vitest'

/** A real hub with one run, and what must be true of it after any request. */
export class Target {
  readonly hub: HubUnderTest
  readonly at: RunAddress
  readonly port: number
  /** The head lines of a request that is let in. */
  readonly head: string

  private constructor(hub: HubUnderTest, at: RunAddress) {
    this.hub = hub
    this.at = at
    this.port = Number(new URL(hub.hub.url).port)
    this.head = `Host: 127.0.0.1:${this.port}\r\nAuthorization: Bearer ${hub.token}\r\n`
  }

  static async start(settings: Partial<HubConfig> = {}): Promise<Target> {
    const hub = await HubUnderTest.start(settings)
    return new Target(hub, await hub.run())
  }

  get sync(): string {
    return paths.sync(this.at)
  }

  /** A whole request, with all that is needed for it to be let in. */
  request(line: string, body: string | Buffer = '', more = 'Content-Type: application/json\r\n'): Buffer {
    const bytes = Buffer.from(body)
    const head = `${line} HTTP/1.1\r\n${this.head}${more}Content-Length: ${bytes.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
  }

  connect(): Promise<RawConnection> {
    return RawConnection.open(this.port)
  }

  /** Writes the bytes on a connection of their own and gives back the first answer. */
  async send(bytes: string | Uint8Array, options?: { toHead: boolean }): Promise<RawAnswer | null> {
    const connection = await this.connect()
    try {
      await connection.write(bytes)
      return await connection.answer(options)
    } finally {
      connection.leave()
    }
  }

  post(body: string | Buffer, more?: string): Promise<RawAnswer | null> {
    return this.send(this.request(`POST ${this.sync}`, body, more))
  }

  async lastId(): Promise<number> {
    return (await this.hub.ask('GET', paths.status(this.at))).body.lastEventId
  }

  /** The hub lives, takes a message under the next id, and has kept nothing of what was refused. */
  async isUnharmed(before: number): Promise<void> {
    expect((await this.hub.ask('GET', paths.healthz())).status).toBe(200)
    expect(await this.lastId()).toBe(before)
    const posted = await this.hub.post(this.at, {
      jsonrpc: '2.0',
      method: '_posthog/user_message',
      params: { content: 'still there?' },
    })
    expect(posted).toMatchObject({ status: 202, body: { ids: [before + 1] } })
    await this.nothingUnderWay()
  }

  /** Resolves when nothing that was being uploaded is left. The hub hears of a lost connection when it does. */
  async nothingUnderWay(): Promise<void> {
    await expect.poll(() => this.filesUnderWay(), { timeout: 30_000 }).toEqual([])
  }

  filesUnderWay(): Promise<string[]> {
    return readdir(join(this.hub.data, 'files', 'incoming'))
  }
}

/** An answer in the one shape that refusals have, under the status that belongs to its code (W3). */
export function expectRefusal(answer: RawAnswer | null, ...codes: (keyof typeof faults)[]): void {
  expect(answer, 'an answer').not.toBeNull()
  const { status, headers, body } = answer!
  expect(status, body).toBeGreaterThanOrEqual(400)
  expect(headers.get('content-type'), body).toBe('application/json; charset=utf-8')
  const { error } = FaultAnswer.parse(JSON.parse(body))
  expect(Object.keys(faults)).toContain(error.code)
  const fault = faults[error.code as keyof typeof faults]
  expect({ status, remedy: error.remedy, code: error.code }).toEqual({ ...fault, code: error.code })
  expect(error.code, error.message).not.toBe('hub.failed')
  if (codes.length > 0) expect(codes, error.message).toContain(error.code)
}
