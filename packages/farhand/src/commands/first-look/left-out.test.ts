import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { about, inStep, startLink, type Told, write } from '../link/link-under-test.ts'
import { hubCommandHere } from '../local-hub/hub-here-under-test.ts'

const sent = (told: Told[]) => told.flatMap(({ event, path }) => (event === 'sent' ? [path] : [])).sort()

it('what was left out stays here: in the first life of a link, in the next, and when it is written again', {
  timeout: 120_000,
}, async () => {
  const hub = await hubCommandHere()
  const [folder, state] = [await temporaryFolder(), await temporaryFolder()]
  await write(folder, { 'a.txt': 'a', 'deploy/.env': 'PASSWORD=1', '.env': 'TOKEN=1' })
  execFileSync('git', ['init', '-q'], { cwd: folder })

  const refused = startLink(folder, hub, '--run', 'new', '--state', state)
  expect((await refused.until(() => true))[0]).toMatchObject({
    event: 'error',
    message: expect.stringMatching(/^2 files may hold secrets: /),
  })
  expect(await refused.exitCode).toBe(5)

  const link = startLink(folder, hub, '--run', 'new', '--state', state, '--secrets', 'leave-out')
  expect(sent(await link.until(inStep))).toEqual(['a.txt'])
  // Neither git nor a rule in the folder takes it in: the user has not said so.
  execFileSync('git', ['add', '-f', '.env'], { cwd: folder })
  writeFileSync(path.join(folder, '.farhandignore'), '!.env\n')
  writeFileSync(path.join(folder, '.env'), 'TOKEN=2')
  writeFileSync(path.join(folder, 'b.txt'), 'b')
  const told = await link.until(about('sent', 'b.txt'))
  expect(sent(told)).not.toContain('.env')
  link.child.kill('SIGTERM')
  await link.exitCode

  const again = startLink(folder, hub, '--state', state)
  writeFileSync(path.join(folder, 'c.txt'), 'c')
  expect(sent(await again.until(about('sent', 'c.txt')))).not.toContain('.env')
})
