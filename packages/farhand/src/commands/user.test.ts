import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { farhand, temporaryFolder } from '../farhand-under-test.ts'

const json = async (...args: string[]) => JSON.parse(await farhand(...args, '--json').line())
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

describe('farhand user', { timeout: 120_000 }, () => {
  it('adds a user to a running hub, whose token works at once', async () => {
    const data = await temporaryFolder()
    const { url } = await json('hub', '--port', '0', '--data', data)
    const ada = await json('user', 'add', 'ada', '--data', data)
    expect(ada).toEqual({ name: 'ada', token: expect.stringMatching(/^fh_/), url })
    expect((await fetch(`${url}/api/me`, bearer(ada.token))).status).toBe(200)

    const users = await json('user', 'list', '--data', data)
    expect(users).toMatchObject([
      { name: 'owner', role: 'owner', tokens: 1 },
      { name: 'ada', role: 'member', tokens: 1 },
    ])

    const more = await json('user', 'token', 'ada', '--data', data)
    expect((await fetch(`${url}/api/me`, bearer(more.token))).status).toBe(200)
    expect(await json('user', 'revoke', 'ada', '--data', data)).toEqual({ name: 'ada', revoked: 2 })
    await expect
      .poll(async () => (await fetch(`${url}/api/me`, bearer(ada.token))).status, { timeout: 60_000 })
      .toBe(401)
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'names no address while the hub is stopped (%s): at the usual one may be another hub',
    async (signal) => {
      const data = await temporaryFolder()
      const hub = farhand('hub', '--port', '0', '--data', data, '--json')
      await hub.line()
      hub.child.kill(signal)
      await hub.exitCode
      expect(await json('user', 'token', 'owner', '--data', data)).toMatchObject({ url: null })
      const said = farhand('user', 'token', 'owner', '--data', data)
      const lines = [await said.line(), await said.line(), await said.line()].join('\n')
      expect(lines).toMatch(/The hub is not running\. Once it is.*\n<its address>\/#token=fh_\w+$/)
      expect(lines).not.toContain('http')
    },
  )

  it('shows the link on a line of its own, so that it can be copied', async () => {
    const data = await temporaryFolder()
    const { url } = await json('hub', '--port', '0', '--data', data)
    const said = farhand('user', 'add', 'ada', '--data', data)
    expect(await said.line()).toBe('ada signs in with this link. It is shown only once.')
    expect(await said.line()).toMatch(new RegExp(`^${url}/#token=fh_\\w+$`))
  })

  it('does not make a new hub out of a folder that was mistyped', async () => {
    const data = path.join(await temporaryFolder(), 'typo')
    const add = farhand('user', 'add', 'ada', '--data', data)
    expect(await add.exitCode).toBe(1)
    expect(add.errors()).toContain(`${data} is not the data folder of a hub.`)
    expect(add.errors()).not.toContain('    at ')
  })
})
