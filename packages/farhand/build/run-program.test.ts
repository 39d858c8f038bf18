import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'

const runner = fileURLToPath(new URL('./run-program.cjs', import.meta.url))

/** A program that goes on running until what was compiled of it is kept, or for two seconds. */
const waits = (word: string) => `
  const { readdirSync } = require('node:fs')
  const isKept = () => readdirSync(__dirname).some((name) => name.endsWith('.code'))
  const untilMs = Date.now() + 2_000
  const wait = () => (isKept() || Date.now() > untilMs ? console.log('${word}') : setTimeout(wait, 20))
  wait()
`

async function makeProgram(text: string) {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'farhand-run-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'main.cjs')
  await writeFile(file, text)
  const run = async () => {
    const call = `require(${JSON.stringify(runner)}).runProgram(${JSON.stringify(file)}, 'some', true)`
    return (await promisify(execFile)(process.execPath, ['-e', call])).stdout.trim()
  }
  const kept = async () => (await readdir(folder)).filter((name) => name.endsWith('.code'))
  return { folder, file, run, kept }
}

describe('a program of one file', () => {
  it('runs, and what was compiled of it is kept beside it', async () => {
    const { run, kept } = await makeProgram(waits('one'))
    expect(await run()).toBe('one')
    expect(await kept()).toEqual([expect.stringMatching(/^some-[0-9a-f]{16}\.code$/)])
    expect(await run()).toBe('one')
  })

  it('is never run from what was compiled of another one, even of the same length', async () => {
    const { file, run, kept } = await makeProgram(waits('one'))
    await run()
    await writeFile(file, waits('two'))
    expect(await run()).toBe('two')
    expect(await kept()).toHaveLength(1)
  })

  it('runs when what was kept is damaged', async () => {
    const { folder, run, kept } = await makeProgram(waits('one'))
    await run()
    const file = path.join(folder, (await kept())[0]!)
    const bytes = await readFile(file)
    await writeFile(file, bytes.fill(7, bytes.length / 2))
    expect(await run()).toBe('one')
  })
})
