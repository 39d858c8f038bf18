import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { onFileChange } from './on-file-change.ts'

it('a file that is written right after it is watched is looked at, and then only when it is written again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-change-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const file = join(folder, 'a')
  let looks = 0
  const stop = onFileChange(file, 1_000, () => looks++)
  writeFileSync(file, 'one')
  vi.advanceTimersByTime(5_000)
  expect(looks).toBe(1)
  writeFileSync(file, 'another')
  vi.advanceTimersByTime(5_000)
  expect(looks).toBe(2)
  stop()
  writeFileSync(file, 'third time')
  vi.advanceTimersByTime(5_000)
  expect(looks).toBe(2)
})
