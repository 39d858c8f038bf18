import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { expect, it, onTestFinished } from 'vitest'
import { folderLines, knownHereInWords, skippedLines } from './known-here-in-words.ts'

const at = new Date(2026, 10, 16, 12, 0).getTime()
const now = { pid: 7, version: '1.0.0', url: 'http://a', isKept: true, since: at - 60_000 }
const folder = { folder: '/my project', pid: 7, now: null, kept: null, deaths: null }
const live = { is: 'live' as const, since: at, words: [] }
const lines = (given: Partial<Parameters<typeof folderLines>[0]>) =>
  folderLines({ ...folder, ...given }, at, 'farhand')

it('says of a folder that is kept what it does', () => {
  const doing = (doing: NonNullable<Parameters<typeof folderLines>[0]['now']>['doing'], isKept = true) =>
    lines({ now: { ...now, isKept, doing } })
  expect(doing({ is: 'in-step', files: 1_234 })).toEqual(['in step, 1,234 files'])
  expect(doing({ is: 'busy', toSend: 1, toApply: 2 })).toEqual(['sending 1 change, fetching 2 changes'])
  expect(doing({ is: 'offline', why: 'no route' })).toEqual(['offline since 11:59: no route'])
  expect(doing({ is: 'in-step', files: 1 }, false)).toEqual(['in step, 1 file, in a terminal (process 7)'])
})

it('says of one that is not kept why, and what can be done about it', () => {
  const idle = { pid: null }
  expect(lines(idle)[0]).toMatch("`farhand link '/my project' --background`")
  expect(lines({ ...idle, isClosed: true })).toEqual(['its run is closed'])
  const dayBefore = new Date(2026, 10, 15, 9, 30).getTime()
  expect(lines({ ...idle, kept: { ...live, is: 'paused', since: dayBefore } })).toEqual([
    "paused since 2026-11-15 09:30; `farhand resume '/my project'`",
  ])
  const failed = { ...live, is: 'failed' as const, message: 'It is gone.', nextStep: 'Put it back.' }
  expect(lines({ ...idle, kept: failed })).toEqual(['failed 12:00: It is gone.', 'Put it back.'])
  expect(lines({ ...idle, kept: live, deaths: { count: 3, nextAt: at + 4_000 } })).toEqual([
    'what keeps it in sync died 3 times; started again in 4 s',
  ])
})

it('names the files of a folder that stay on this machine', () => {
  const run = {
    project: ProjectId.parse('prj_00000001'),
    task: TaskId.parse('tsk_00000001'),
    run: RunId.parse('run_00000001'),
  }
  const leftOut = ['.env', 'a', 'b', 'c', 'd', 'e', 'f']
  const one = { ...folder, url: 'http://a', at: run, leftOut }
  const called = { farhand: 'farhand', hub: 'farhand hub' }
  const told = knownHereInWords({ device: null, hubs: [], folders: [one], runs: [] }, at, {
    called,
    color: false,
  })
  expect(told).toContain('\n    left out: .env, a, b, c, d, and 2 more\n')
})

it('S9 lists in status what a folder does not sync, and why, as long as it is there', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'farhand-skipped-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  for (const name of ['big.iso', 'key.pem']) writeFileSync(path.join(place, name), '')
  const some = [
    { path: 'big.iso', why: 'too-large' as const },
    { path: 'deleted since', why: 'too-large' as const },
    { path: 'key.pem', why: 'looks-secret' as const },
  ]
  const skipped = { count: 4, some }
  const doing = { is: 'in-step' as const, files: 1 }
  const called = { called: { farhand: 'farhand', hub: 'farhand hub' }, color: false }
  const told = skippedLines({ folder: place, now: { ...now, doing, skipped } }, called)
  expect(told).toEqual([
    expect.stringMatching(/^not synced: big\.iso \(.*(large|limit).*\), and 1 more$/),
    expect.stringMatching(/^held back: key\.pem \(.+\).*`farhand allow` in that folder sends them$/),
  ])
})
