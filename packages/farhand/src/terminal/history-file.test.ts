import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { HistoryFile } from './history-file.ts'

function place() {
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-history-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'state')
}

it('typed text is there after a restart, also in several lines, and no other user can read it', () => {
  const state = place()
  expect(new HistoryFile(state).read()).toEqual([])
  new HistoryFile(state).add('one\ntwo')
  new HistoryFile(state).add('three')
  expect(new HistoryFile(state).read()).toEqual(['one\ntwo', 'three'])
  expect(statSync(path.join(state, 'typed-history')).mode & 0o777).toBe(0o600)
})

it('a line that a crash has torn is passed over, and old ones are forgotten', () => {
  const state = place()
  const history = new HistoryFile(state)
  for (let at = 0; at < 1_001; at += 1) history.add(`line ${at}`)
  const file = path.join(state, 'typed-history')
  appendFileSync(file, '"torn\n')
  expect(history.read().at(-1)).toBe('line 1000')
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(501)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
