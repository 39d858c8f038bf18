import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { shortenLog } from './shorten-log.ts'

it('a log that is appended to begins anew when it is too large, and does not grow for ever', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'daemon.log')
  const log = openSync(file, 'a')
  onTestFinished(() => closeSync(log))
  for (const line of ['one\n', 'two\n', 'three\n']) {
    shortenLog(log, 6)
    writeSync(log, line)
  }
  expect(readFileSync(file, 'utf8')).toBe('three\n')
})
