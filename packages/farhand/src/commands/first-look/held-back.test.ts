import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'
import { DeviceUnderTest } from '../device/device-under-test.ts'
import { about, inStep, startLink, write } from '../link/link-under-test.ts'
import { hubCommandHere } from '../local-hub/hub-here-under-test.ts'

it('what a rule from the run includes is held back in the background, shown by status, and sent once allowed', {
  timeout: 180_000,
}, async () => {
  const hub = await hubCommandHere()
  const machine = await DeviceUnderTest.begin()
  const [folder, far] = [await temporaryFolder(), await temporaryFolder()]
  await write(folder, { '.gitignore': 'plan.md\nprivate/\n', 'plan.md': 'plan', 'private/a.md': 'a' })
  await write(folder, { 'private/.env': 'TOKEN=1', 'a.txt': 'a' })
  const run = await machine.keep(folder, hub)
  const sandbox = startLink(far, hub, '--run', run, '--wins', 'log', '--state', await temporaryFolder())
  await sandbox.until(inStep)
  writeFileSync(path.join(far, '.gitignore'), '')

  const held = await vi.waitFor(
    async () => {
      const { lines } = await machine.call('status', '--json', '--hub', hub.url, '--token', hub.token)
      const { folders } = JSON.parse(lines.at(-1)!)
      expect(folders[0].skipped).toHaveLength(3)
      return folders[0].skipped
    },
    { timeout: 60_000, interval: 500 },
  )
  expect(held).toContainEqual({ path: 'plan.md', why: 'newly-included' })
  const { text } = await machine.call('status', '--hub', hub.url, '--token', hub.token)
  expect(text.replace(/\s+/g, ' ')).toContain('plan.md (a rule from the run includes it)')

  const named = await machine.call('allow', path.join(folder, 'plan.md'))
  expect([named.code, named.text]).toEqual([0, '1 path will be sent.'])
  await sandbox.until(about('applied', 'plan.md'))
  expect(await readFile(path.join(far, 'plan.md'), 'utf8')).toBe('plan')

  // A folder is not a word about the secrets in it.
  const all = await machine.call('allow', path.join(folder, 'private'))
  expect([all.code, all.errors]).toEqual([5, expect.stringContaining('Still held back: private/.env')])
  const told = await sandbox.until(about('applied', 'private/a.md'))
  writeFileSync(path.join(folder, 'last.txt'), 'last')
  told.push(...(await sandbox.until(about('applied', 'last.txt'))))
  expect(told.filter((one) => one.path === 'private/.env')).toEqual([])
})

it('a file that comes later and looks like a secret is held back, also by the next life, until it is allowed', {
  timeout: 120_000,
}, async () => {
  const hub = await hubCommandHere()
  const [folder, state] = [await temporaryFolder(), await temporaryFolder()]
  await write(folder, { 'a.txt': 'a' })
  const link = startLink(folder, hub, '--run', 'new', '--state', state)
  await link.until(inStep)
  await write(folder, { '.env': 'TOKEN=1', 'deploy.sh': `export TOKEN=ghp_${'a1B2'.repeat(9)}\n` })
  const held = new Set(['.env', 'deploy.sh'])
  await link.until(
    ({ event, path, why }) =>
      event === 'skipped' && why === 'looks-secret' && held.delete(String(path)) && held.size === 0,
  )
  await write(folder, { 'b.txt': 'b' })
  const told = await link.until(about('sent', 'b.txt'))
  link.child.kill('SIGTERM')
  await link.exitCode

  const next = startLink(folder, hub, '--state', state)
  await next.until(({ event, path }) => event === 'skipped' && path === '.env')
  await write(folder, { 'c.txt': 'c' })
  told.push(...(await next.until(about('sent', 'c.txt'))))
  expect(told.filter(({ event, path }) => event === 'sent' && !/^[bc]\.txt$/.test(String(path)))).toEqual([])
  const allowed = farhand('allow', path.join(folder, '.env'), '--state', state)
  expect(await allowed.exitCode).toBe(0)
  await next.until(about('sent', '.env'))
})
