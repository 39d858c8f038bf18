import { rm, truncate, utimes } from 'node:fs/promises'
import path from 'node:path'
import { HubProcess } from '@farhand/testkit/hub-process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'
import { about, filesIn, inStep, startLink, write } from './link-under-test.ts'

describe('a file that is empty when its folder starts', { timeout: 120_000 }, () => {
  it.each([
    ['killed', 'SIGKILL'],
    ['stopped while its hub was away', 'SIGTERM'],
  ] as const)(
    'S8 was emptied by a person, however old it says it is, after a folder that was %s',
    async (_, signal) => {
      const hub = await HubProcess.start()
      onTestFinished(async () => {
        await hub.kill()
        await rm(hub.data, { recursive: true, force: true })
      })
      const [folder, state] = [await temporaryFolder(), await temporaryFolder()]
      await write(folder, { 'pkg/init.py': 'old', 'kept.txt': 'kept' })
      const first = startLink(folder, hub, '--run', 'new', '--state', state)
      await first.until(inStep)
      if (signal === 'SIGTERM') {
        await hub.kill()
        await first.until((told) => told.state === 'offline')
      }
      first.child.kill(signal)
      await first.exitCode
      const file = path.join(folder, 'pkg/init.py')
      await truncate(file)
      await utimes(file, 1_000_000_000, 1_000_000_000)
      if (signal === 'SIGTERM') await hub.spawn()
      const again = startLink(folder, hub, '--state', state)
      await again.until(about('sent', 'pkg/init.py'))
      expect(await filesIn(folder)).toEqual({ 'pkg/init.py': '', 'kept.txt': 'kept' })
      // S4: who did not mean it, or lost power, has the version before.
      const history = farhand('history', file, '--state', state, '--json')
      const [now, before] = [JSON.parse(await history.line()), JSON.parse(await history.line())]
      expect(now).toMatchObject({ state: 'current', size: 0 })
      expect(before).toMatchObject({ size: 3 })
      expect(await farhand('restore', `${file}@${before.eventId}`, '--state', state).exitCode).toBe(0)
      await again.until(about('applied', 'pkg/init.py'))
      expect((await filesIn(folder))['pkg/init.py']).toBe('old')
    },
  )
})
