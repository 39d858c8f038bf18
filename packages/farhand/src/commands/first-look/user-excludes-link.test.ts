import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { inStep, startLink, write } from '../link/link-under-test.ts'
import { hubCommandHere } from '../local-hub/hub-here-under-test.ts'
import { firstLook } from './first-look.ts'

async function folderWithExcludes() {
  const [folder, place] = [await temporaryFolder(), await temporaryFolder()]
  execFileSync('git', ['init', '-q'], { cwd: folder })
  execFileSync('git', ['config', 'core.excludesFile', path.join(place, 'ignore')], { cwd: folder })
  await writeFile(path.join(place, 'ignore'), '*.private\n')
  await write(folder, { 'a.txt': 'a', 'notes.private': 'mine' })
  return folder
}

it("S9 what the user's ignore file for all repositories names is not sent by a link", {
  timeout: 120_000,
}, async () => {
  const hub = await hubCommandHere()
  const folder = await folderWithExcludes()
  const link = startLink(folder, hub, '--run', 'new', '--state', await temporaryFolder())
  const told = await link.until(inStep)
  expect(told.flatMap(({ event, path }) => (event === 'sent' ? [path] : []))).toEqual(['a.txt'])
})

it('S9 nor does the first look count it among what is sent', async () => {
  const context = testContext({ env: { PATH: process.env.PATH } })
  const state = new StateFolder(await temporaryFolder())
  await firstLook(await folderWithExcludes(), { state, hub: 'http://hub.test', flags: {} }, context)
  expect(context.ran().notes).toContain('1 file, 1 byte, go to http://hub.test (left out: 1 name')
})
