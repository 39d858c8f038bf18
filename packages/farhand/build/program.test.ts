import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, realpath, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { packProgram } from './pack-program.mjs'
import { program } from './program.cjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const prints = (word: string) =>
  `import { z } from 'zod'\nconsole.log(z.literal('${word}').value as string)\n`

/** A clone with nothing in it but a command that prints a word. */
async function makeClone() {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'farhand-clone-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const home = path.join(folder, 'packages/farhand')
  await mkdir(path.join(home, 'src'), { recursive: true })
  await writeFile(path.join(folder, 'package-lock.json'), '{}')
  await writeFile(path.join(home, 'package.json'), '{ "type": "module" }')
  await writeFile(path.join(home, 'src/main.ts'), prints('one'))
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  return { folder, home, source: path.join(home, 'src/main.ts'), main: path.join(home, 'dist/main.cjs') }
}

async function printed(file: string): Promise<string> {
  return (await promisify(execFile)(process.execPath, [file])).stdout.trim()
}

async function build(home: string) {
  const notes: string[] = []
  const file = await program(home, (sentence) => notes.push(sentence))
  return { file, notes }
}

describe('program', () => {
  it('is built once and left alone while nothing changes', async () => {
    const { home, main } = await makeClone()
    expect(await build(home)).toEqual({ file: main, notes: [] })
    const { ino } = await stat(main)
    await build(home)
    expect((await stat(main)).ino).toBe(ino)
    expect(await printed(main)).toBe('one')
  })

  it('a source that was replaced by one with the same size and time is seen', async () => {
    const { home, source, main } = await makeClone()
    await build(home)
    const { atime, mtime } = await stat(source)
    await writeFile(source, prints('two'))
    await utimes(source, atime, mtime)
    await build(home)
    expect(await printed(main)).toBe('two')
  })

  it('a source that was replaced is seen, also when it has been looked at before and left alone since', async () => {
    const { home, source, main } = await makeClone()
    await build(home)
    // Only what has not been touched for a second is believed to stay as it is.
    await sleep(1100)
    await build(home)
    await build(home)
    const { atime, mtime } = await stat(source)
    await writeFile(source, prints('two'))
    await utimes(source, atime, mtime)
    await build(home)
    expect(await printed(main)).toBe('two')
  })

  it('a built file that was cut off is built again', async () => {
    const { home, main } = await makeClone()
    await build(home)
    await writeFile(main, 'console.log("half")')
    await build(home)
    expect(await printed(main)).toBe('one')
  })

  it('without sources the built file is used as it came', async () => {
    const { home, main } = await makeClone()
    await build(home)
    await rm(path.join(home, 'src'), { recursive: true })
    expect(await build(home)).toEqual({ file: main, notes: [] })
    await rm(main)
    await expect(build(home)).rejects.toThrow('install farhand again')
  })

  it('where nothing can be written it starts all the same, and says so', async () => {
    const { home } = await makeClone()
    // Permissions would not do: they do not stop the root user.
    await writeFile(path.join(home, 'dist'), 'in the way')
    const { file, notes } = await build(home)
    // It would go with this process, which has other tests to run and may be ended without a chance to do so.
    onTestFinished(() => rm(path.join(file, '../..'), { recursive: true, force: true }))
    expect(notes).toEqual([
      expect.stringMatching(/dist cannot be written \(E.*built again at every start\.$/),
    ])
    expect(await printed(file)).toBe('one')
  })

  it('the program of a thread is built into it, and built again when its own sources change', async () => {
    const { folder, home, source, main } = await makeClone()
    const sync = path.join(folder, 'packages/sync')
    for (const of of ['kit', 'sync'])
      await cp(path.join(root, `packages/${of}/build`), path.join(folder, `packages/${of}/build`), {
        recursive: true,
      })
    await mkdir(path.join(sync, 'src/disk'), { recursive: true })
    await writeFile(path.join(sync, 'src/disk/worker-source.ts'), 'export const workerSource = () => null')
    await writeFile(
      path.join(sync, 'src/disk/worker.ts'),
      `import { word } from './word.ts'\nconsole.log(word)`,
    )
    await writeFile(path.join(sync, 'src/disk/word.ts'), `export const word: string = 'from a thread'`)
    await writeFile(
      source,
      `import { Worker } from 'node:worker_threads'
       import { workerSource } from '../../sync/src/disk/worker-source.ts'
       void workerSource().then((text) => new Worker(text, { eval: true, workerData: {} }))`,
    )
    await build(home)
    expect(await printed(main)).toBe('from a thread')
    await writeFile(path.join(sync, 'src/disk/word.ts'), `export const word: string = 'from another'`)
    await build(home)
    expect(await printed(main)).toBe('from another')
  })

  it('the command and its completion are packed with the programs of their threads inside', async () => {
    const { files } = await packProgram(path.join(root, 'packages/farhand'))
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['dist/main.cjs', 'dist/complete.cjs']))
    // Installed, there is neither a builder of threads nor a source to build one from.
    expect(files['dist/main.cjs']).not.toContain('worker-bundle.mjs')
  })

  it('a source that cannot be built is named', async () => {
    const { home, source } = await makeClone()
    await writeFile(source, 'const = 1')
    await expect(build(home)).rejects.toThrow('packages/farhand/src/main.ts:1: Expected identifier')
  })
})

describe('farhand', () => {
  it('a start that fails prints one sentence and ends with 1', async () => {
    const { home } = await makeClone()
    for (const part of ['bin', 'build']) {
      await cp(path.join(root, 'packages/farhand', part), path.join(home, part), { recursive: true })
    }
    await rm(path.join(home, 'src'), { recursive: true })
    const failure = promisify(execFile)(process.execPath, [path.join(home, 'bin/farhand.cjs')])
    await expect(failure).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no .* install farhand again\.\n$/),
    })
  })
})
