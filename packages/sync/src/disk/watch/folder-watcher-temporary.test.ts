import { renameSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isTemporary } from '../scan/is-temporary.ts'
import { makeFolder, Watched } from './folder-watcher-under-test.ts'

it.each([
  ['main.ts.tmp.12345.1699999999', true],
  ['a/main.ts.tmp.12345', true],
  ['main.ts.tmp-12345-ab12', true],
  ['main.ts.12345.tmp', true],
  ['main.tmp', false],
  ['tmp.12345', false],
  ['data.2024', false],
  ['v1.tmp.final', false],
])('%s is the name of a temporary file: %s', (name, is) => {
  expect(isTemporary(name)).toBe(is)
})

it('S9 the temporary file of an agent is never reported, and the file that it is renamed to is', async () => {
  const folder = makeFolder()
  const watched = new Watched(folder)
  await watched.scanned()
  for (let n = 0; n < 5; n++) {
    folder.write(`main.ts.tmp.77.${n}`, `version ${n}`)
    await new Promise(setImmediate)
    renameSync(folder.at(`main.ts.tmp.77.${n}`), folder.at('main.ts'))
    await watched.inStep()
  }
  expect(new Set(watched.paths)).toEqual(new Set(['main.ts']))
})

it('S9 a file with such a name that stays is reported like any other, and does not hold up the first scan', async () => {
  const folder = makeFolder()
  folder.write('kept.tmp.1', 'kept')
  folder.write('a', 'a')
  const watched = new Watched(folder)
  await watched.scanned()
  expect([...watched.told.keys()]).toEqual(['a'])
  await watched.until(() => watched.told.has('kept.tmp.1'))
}, 60_000)
