import { spawn } from 'node:child_process'
import { lstatSync, readFileSync, type Stats, writeFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'
import { at, fileOf, WorkspaceUnderTest } from './apply-under-test.ts'
import { systemRenames } from './exchange.ts'
import { isRacy, stampOf } from './known-files.ts'

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

it.runIf(systemRenames().exchange)(
  'S4 S6 no version is lost to a program that saves all the time while we write all the time',
  async () => {
    const here = new WorkspaceUnderTest()
    writeFileSync(here.path('file'), 'theirs 000000')
    const spare = `${here.root}/../spare`
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', writer, here.path('file'), spare, `${versions}`],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const lines: string[] = []
    createInterface(child.stdout).on('line', (line) => lines.push(line))
    const seen = new Set<string>()
    const answers: Record<string, number> = {}
    for (let round = 0; lines.length < 2; round++) {
      const text = scan(here)
      if (text !== null) seen.add(text)
      // Until somebody else has written: our own writes are known without another look.
      for (let n = 0; text !== null && n < 20; n++) {
        const [answer] = here.applier.apply([here.change('file', n % 5 === 4 ? null : `ours ${round} ${n}`)])
        answers[answer!.is] = (answers[answer!.is] ?? 0) + 1
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
    const lost = Array.from(
      { length: versions },
      (_, n) => `theirs ${String(n + 1).padStart(6, '0')}`,
    ).filter((version) => !found.has(version))
    here.applier.close()
    here.remove()
    expect(lost).toEqual([])
    expect(answers.failed).toBeUndefined()
    // Else they never met, and nothing was shown.
    expect(answers.changed).toBeGreaterThan(versions / 100)
    expect(rescued.length, 'versions rescued').toBeGreaterThan(0)
  },
  900_000,
)
