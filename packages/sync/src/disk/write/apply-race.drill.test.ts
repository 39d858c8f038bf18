import { spawn } from 'node:child_process'
import { lstatSync, readFileSync, type Stats, writeFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'
import { isRacy, stampOf } from '../index/file-stamp.ts'
import { at, fileOf, WorkspaceUnderTest } from './applier-under-test.ts'
import { systemRenames } from './renames.ts'

const writer = fileURLToPath(new URL('./apply-writer-under-test.ts', import.meta.url))
const versions = inject('long') ? 20_000 : 3_000

/** Looks at the file as a scan does; null if it changes under our eyes. Gives what it read. */
function scan(here: WorkspaceUnderTest): string | null {
  let stats: Stats
  let text: string
  try {
    stats = lstatSync(here.path('file'))
    text = readFileSync(here.path('file'), 'utf8')
    if (stampOf(lstatSync(here.path('file'))) !== stampOf(stats)) return null
  } catch {
    here.known.delete(at('file'))
    return ''
  }
  const stamp = isRacy(stats, Date.now()) ? 0 : stampOf(stats)
  here.known.set(at('file'), { entry: fileOf(text), stamp, size: stats.size })
  return text
}

/** A program saves all the time while we write all the time: which of its versions are nowhere, and how often they met. */
async function race() {
  // As in a folder that is kept: what was replaced is let go of meanwhile.
  const here = new WorkspaceUnderTest({ graceMs: 2_000 })
  writeFileSync(here.path('file'), 'theirs 000000')
  const spare = `${here.root}/../spare`
  const words = ['--import', 'tsx', writer, here.path('file'), spare, `${versions}`]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  const seen = new Set<string>()
  const answers = { done: 0, changed: 0, skipped: 0, failed: 0 }
  for (let round = 0; lines.length < 2; round++) {
    const text = scan(here)
    if (text !== null) seen.add(text)
    // Until another program has written: our own writes are known without another look.
    for (let n = 0; text !== null && n < 20; n++) {
      const [answer] = here.applier.apply([here.change('file', n % 5 === 4 ? null : `ours ${round} ${n}`)])
      answers[answer!.is] += 1
      if (answer!.is !== 'done') break
    }
    if (round % 100 === 0) {
      here.applier.settled()
      here.applier.sweep()
    }
    await new Promise(setImmediate)
  }
  const rescued = here.letTimePass()
  const overwritten = JSON.parse(lines[1]!) as string[]
  const found = new Set([...seen, ...rescued, ...overwritten, ...Object.values(here.tree())])
  const all = Array.from({ length: versions }, (_, n) => `theirs ${String(n + 1).padStart(6, '0')}`)
  here.applier.close()
  here.remove()
  return { lost: all.filter((version) => !found.has(version)), answers, rescued: rescued.length }
}

it.runIf(systemRenames().exchange)(
  'S4 S6 no version is lost to a program that saves all the time while we write all the time',
  async () => {
    let [rescued, changed] = [0, 0]
    // Else they never met, and nothing was shown: on one core that is busy they meet a few times, or not at all.
    for (let races = 0; races < 20 && (rescued === 0 || changed <= versions / 100); races += 1) {
      const { lost, answers, ...met } = await race()
      expect(lost).toEqual([])
      expect(answers.failed).toBe(0)
      rescued += met.rescued
      changed += answers.changed
    }
    expect(changed).toBeGreaterThan(versions / 100)
    expect(rescued, 'versions rescued').toBeGreaterThan(0)
  },
  900_000,
)
