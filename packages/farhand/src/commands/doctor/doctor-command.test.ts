import { chmodSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Finding } from '@farhand/device/self-check/judge'
import { HubProcess } from '@farhand/testkit/hub-process'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { doctorCommand } from './doctor-command.ts'

/** What it finds in a state folder of its own, by what it looked at. */
async function found(flags: Record<string, unknown>, folder?: string) {
  const state = (flags.state as string | undefined) ?? path.join(await temporaryFolder(), 'state')
  const context = testContext({ home: path.dirname(state), cwd: folder ?? path.dirname(state) })
  const trouble = await doctorCommand({ state, json: true, ...flags }, context).catch((error: Error) => error)
  const lines = context.ran().out.trim().split('\n')
  const findings = lines.map((line) => JSON.parse(line) as Finding & { event: string })
  const of = (what: string) => findings.find((one) => one.event === 'finding' && one.what === what)
  return { trouble, of, last: findings.at(-1) }
}

/** A hub that does not answer within seconds is rightly reported; on a busy machine the test looks again. */
const sooner = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 90_000 })

describe('farhand doctor', { timeout: 120_000 }, () => {
  it('says of a new machine that nothing is broken, and that no hub is needed yet', async () => {
    await sooner(async () => {
      const { trouble, of } = await found({})
      expect(trouble).toBeUndefined()
      for (const what of ['node', 'git', 'state', 'hub', 'watcher', 'daemon', 'proxy'])
        expect([what, of(what)?.is]).toEqual([what, 'fine'])
    })
  })

  it('ends with 1 and says what to do if the hub does not answer', async () => {
    const { trouble, of, last } = await found({ hub: 'http://127.0.0.1:2' })
    expect(of('hub')).toMatchObject({ is: 'broken', next: expect.stringContaining('npx farhand hub') })
    expect(trouble).toMatchObject({ exit: 'failed', message: 'Broken: hub.' })
    expect(last).toMatchObject({ event: 'error', exit: 1 })
  })

  it('knows a hub that knows us from one that does not, and from something else', async () => {
    const hub = await HubProcess.start()
    onTestFinished(async () => {
      await hub.kill()
      rmSync(hub.data, { recursive: true, force: true })
    })
    await sooner(async () => {
      const known = await found({ hub: `${hub.url}/#token=${hub.token}` })
      expect([known.of('hub')?.is, known.of('clock')?.is]).toEqual(['fine', 'fine'])
      expect((await found({ hub: hub.url, token: 'fht_nobody' })).of('hub')?.is).toBe('broken')
      expect((await found({ hub: hub.url })).of('hub')?.is).toBe('weak')
      expect((await found({ hub: `${hub.url}/elsewhere` })).of('hub')?.says).toContain('no hub answers')
    })
  })

  it('needs no sign-in in the folder of a running hub, as commands there need none', async () => {
    const cwd = await temporaryFolder()
    const hub = await HubProcess.start({ data: path.join(cwd, '.farhand') })
    onTestFinished(async () => void (await hub.kill()))
    await sooner(async () => {
      const { of } = await found({}, cwd)
      expect(of('hub')).toMatchObject({ is: 'fine', says: expect.stringContaining('from its data') })
    })
  })

  it('sees that others may read the state folder', async () => {
    const state = await temporaryFolder()
    chmodSync(state, 0o755)
    expect((await found({ state })).of('state')?.is).toBe('weak')
  })
})
