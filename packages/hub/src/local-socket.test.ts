import { existsSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { HubUnderTest } from './http/hub-under-test.ts'
import { localSocketPath } from './local-socket.ts'

const ask = (socketPath: string, token: string) =>
  new Promise<number>((resolve, reject) => {
    const headers = { host: '127.0.0.1', authorization: `Bearer ${token}` }
    const asking = request({ socketPath, path: '/api/me', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asking.on('error', reject).end()
  })

describe.runIf(process.platform !== 'win32')('the socket in the data folder of a hub', () => {
  it('leads to the same hub as its port, is open to the hub’s user alone, and is removed when the hub stops', async () => {
    const hub = await HubUnderTest.start()
    const door = localSocketPath(hub.data)!
    expect(statSync(door).mode & 0o777).toBe(0o600)
    expect([await ask(door, hub.token), await ask(door, 'fh_other')]).toEqual([200, 401])
    await hub.hub.stop()
    expect(existsSync(door)).toBe(false)
  })

  it.runIf(process.platform === 'linux')(
    'is there however deep the folder lies, and after a crash',
    async () => {
      const deep = path.join((await HubUnderTest.start()).data, 'a'.repeat(120))
      const first = await HubUnderTest.on(deep)
      const door = localSocketPath(deep)!
      expect(existsSync(door)).toBe(true)
      await first.hub.stop()
      // What a hub that was killed leaves.
      writeFileSync(door, '')
      await HubUnderTest.on(deep)
      expect(statSync(door).isSocket()).toBe(true)
    },
  )
})
