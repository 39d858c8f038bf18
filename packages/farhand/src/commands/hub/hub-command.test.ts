import { once } from 'node:events'
import { rename, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'

type Ready = { url: string; token: string | null }
const ready = async (hub: { line(): Promise<string> }): Promise<Ready> => JSON.parse(await hub.line())
const me = (url: string, token: string | null) =>
  fetch(`${url}/api/me`, { headers: { Authorization: `Bearer ${token}` } })

describe('farhand hub', { timeout: 120_000 }, () => {
  it('prints one line of JSON once it answers, and its token works', async () => {
    const hub = farhand('hub', '--port', '0', '--data', await temporaryFolder(), '--json')
    const { url, token } = await ready(hub)
    expect((await me(url, token)).status).toBe(200)
    hub.child.kill('SIGTERM')
    await expect(hub.line()).rejects.toThrow('ended')
    expect(await hub.exitCode).toBe(0)
  })

  it('shows a link that signs in once on every start, and the key on the first one only', async () => {
    const data = await temporaryFolder()
    for (const isFirst of [true, false]) {
      const hub = farhand('hub', '--port', '0', '--data', data)
      const lines: string[] = []
      while (!lines.at(-1)?.startsWith('Stop')) lines.push(await hub.line())
      const shown = lines.join('\n')
      const [, url, code] = /^(http:\/\/127\.0\.0\.1:\d+)\/in#code=(\w{10})$/m.exec(shown) ?? []
      expect(/^http\S+\/#token=fh_\w+$/m.test(shown)).toBe(isFirst)
      const body = JSON.stringify({ code })
      const headers = { 'Content-Type': 'application/json' }
      const signedIn = await fetch(`${url}/api/sign-in`, { method: 'POST', headers, body })
      expect(await signedIn.json()).toMatchObject({ role: 'owner' })
      hub.child.kill('SIGINT')
      expect(await hub.exitCode).toBe(0)
    }
  })

  it('refuses data that another hub holds, says where that one is, and ends with 3', async () => {
    const data = await temporaryFolder()
    const first = farhand('hub', '--port', '0', '--data', data, '--json')
    const { url } = await ready(first)
    const second = farhand('hub', '--port', '0', '--data', data, '--json')
    expect(JSON.parse(await second.line())).toMatchObject({
      event: 'error',
      code: 'alreadyRunning',
      exit: 3,
      message: expect.stringContaining(url),
    })
    expect(await second.exitCode).toBe(3)
    expect(second.errors()).toContain(`already running at ${url} (process ${first.child.pid})`)
  })

  it('ends, and says why, when its data is taken away: nothing could be stored any more', async () => {
    const data = await temporaryFolder()
    const hub = farhand('hub', '--port', '0', '--data', data, '--json')
    await ready(hub)
    await rename(data, `${data}-away`)
    onTestFinished(() => rm(`${data}-away`, { recursive: true, force: true }))
    expect(await hub.exitCode).toBe(1)
    expect(hub.errors()).toContain(`The data folder ${data} is gone.`)
  })

  it('takes the data over from a hub that was killed', async () => {
    const data = await temporaryFolder()
    const first = farhand('hub', '--port', '0', '--data', data, '--json')
    const { token } = await ready(first)
    first.child.kill('SIGKILL')
    await first.exitCode
    const second = farhand('hub', '--port', '0', '--data', data, '--json')
    const again = await ready(second)
    expect(again.token).toBeNull()
    expect((await me(again.url, token)).status).toBe(200)
  })

  it('says who has the port, ends with 4, and still shows the token when it first gets through', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const data = await temporaryFolder()
    const refused = farhand('hub', '--port', String(port), '--data', data)
    expect(await refused.exitCode).toBe(4)
    expect(refused.errors()).toContain(`Port ${port} is taken`)
    if (process.platform === 'linux') expect(refused.errors()).toContain(`(process ${process.pid})`)
    expect(refused.errors()).toContain('--port 0')
    const { url, token } = await ready(farhand('hub', '--port', '0', '--data', data, '--json'))
    expect((await me(url, token)).status).toBe(200)
  })

  it('stops once when npm passes on the Ctrl-C that the terminal has already sent', async () => {
    const hub = farhand('hub', '--port', '0', '--data', await temporaryFolder(), '--json')
    await ready(hub)
    hub.child.kill('SIGINT')
    hub.child.kill('SIGINT')
    expect(await hub.exitCode).toBe(0)
  })
})
