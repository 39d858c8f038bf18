import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { sameEntry } from '@farhand/protocol/files/path-history'
import { expect, it } from 'vitest'
import { entryAt } from '../index/file-entry.ts'
import { KnownFiles } from '../index/known-files.ts'
import { Applier } from './applier.ts'

/** A process that changes 90 files in 3 batches, and is killed by its own hand at the step of this number. */
async function killedAt(step: number): Promise<string> {
  const tests = JSON.stringify(new URL('./applier-under-test.ts', import.meta.url).href)
  const script = `import { WorkspaceUnderTest } from ${tests}
    let steps = 0
    let dies = false
    const step = () => { if (dies && ++steps === ${step}) process.kill(process.pid, 'SIGKILL') }
    const here = new WorkspaceUnderTest({ step })
    const name = (n) => 'd' + (n % 4) + '/f' + n
    const numbers = Array.from({ length: 90 }, (_, n) => n)
    here.applier.apply(numbers.filter((n) => n % 3).map((n) => here.change(name(n), 'old ' + n)))
    here.applier.settled()
    process.stdout.write(here.root)
    dies = true
    for (const from of [0, 30, 60]) {
      const these = numbers.slice(from, from + 30)
      here.applier.apply(these.map((n) => here.change(name(n), n % 3 === 2 ? null : 'new ' + n)))
      if (from === 0) here.applier.settled()
    }
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [root, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(signal).toBe('SIGKILL')
  return root
}

it('S6 a process killed between any two steps leaves behind exactly what it says it did', async () => {
  for (let step = 1; step < 110; step += 13) {
    const root = await killedAt(step)
    const open = () =>
      new Applier({ root, known: new KnownFiles(), skipReason: () => null, unexpected: () => {} })
    const done = open().leftBehind()
    for (const { path, entry } of done) {
      expect(sameEntry(entryAt(join(root, path)), entry), `${path} at step ${step}`).toBe(true)
    }
    // The first batch was settled as soon as it was done; of the others nothing is done and untold.
    const told = new Set<string>(done.map(({ path }) => path))
    for (let n = 30; n < 90; n++) {
      const path = `d${n % 4}/f${n}`
      if (told.has(path)) continue
      const entry = entryAt(join(root, path))
      expect(entry === null, `${path} at step ${step}`).toBe(n % 3 === 0)
    }
    if (step > 60) expect(done.some(({ path }) => path === 'd1/f1')).toBe(false)
    const next = open()
    expect(next.leftBehind()).toEqual(done)
    next.settled()
    expect(next.rescued()).toEqual([])
    expect(open().leftBehind()).toEqual([])
    rmSync(dirname(root), { recursive: true })
  }
}, 600_000)
