import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'

const runner = fileURLToPath(new URL('./run-program.cjs', import.meta.url))

/** A program that goes on running until what was compiled of it is kept, which is not what was kept before. */
const waits = (word: string, place = '__dirname', before = '') => `
  const { existsSync, readdirSync } = require('node:fs')
  const isNew = (name) => name.endsWith('.code') && name !== ${JSON.stringify(before)}
  const isKept = () => existsSync(${place}) && readdirSync(${place}).some(isNew)
  const untilMs = Date.now() + 20_000
  const wait = () => (isKept() || Date.now() > untilMs ? console.log('${word}') : setTimeout(wait, 20))
  wait()
`

async function makeProgram(text: string) {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'farhand-run-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'main.cjs')
  await writeFile(file, text)
  const caches = path.join(folder, 'caches')
  const env = { ...process.env, XDG_CACHE_HOME: caches }
  const run = async (before = '') => {
    const call = `${before};require(${JSON.stringify(runner)}).runProgram(${JSON.stringify(file)}, 'some', true)`
    return (await promisify(execFile)(process.execPath, ['-e', call], { env })).stdout.trim()
  }
  const kept = async () => (await readdir(folder)).filter((name) => name.endsWith('.code'))
  return { folder, file, caches: path.join(caches, 'farhand'), run, kept }
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

  it('keeps it with the caches of its user where nothing can be written beside it, and only the newest there', async () => {
    const { file, caches, run, kept } = await makeProgram('')
    // Permissions would not do: they do not stop the root user.
    const refuse = `const fs = require('node:fs'); const write = fs.writeFileSync
      fs.writeFileSync = (place, ...rest) => {
        if (require('node:path').dirname(place) === ${JSON.stringify(path.dirname(file))}) throw new Error('EROFS')
        write(place, ...rest)
      }`
    await writeFile(file, waits('one', JSON.stringify(caches)))
    expect(await run(refuse)).toBe('one')
    expect(await kept()).toEqual([])
    const first = await readdir(caches)
    expect(first).toEqual([expect.stringMatching(/^some-[0-9a-f]{16}\.code$/)])
    await writeFile(file, waits('two', JSON.stringify(caches), first[0]))
    expect(await run(refuse)).toBe('two')
    const second = await readdir(caches)
    expect(second).toHaveLength(1)
    expect(second).not.toEqual(first)
  })

  it('trusts no cache that others may write', async () => {
    const { file, caches, run } = await makeProgram(waits('one'))
    await mkdir(caches, { recursive: true })
    await chmod(caches, 0o777)
    expect(await run()).toBe('one')
    const [kept = ''] = (await readdir(path.dirname(file))).filter((name) => name.endsWith('.code'))
    await rename(path.join(path.dirname(file), kept), path.join(caches, kept))
    await run()
    // Had it been used, there would be nothing to compile and to keep again.
    expect(await readdir(path.dirname(file))).toContain(kept)
  })
})
