import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from './farhand-under-test.ts'

const bin = fileURLToPath(new URL('../bin/farhand.cjs', import.meta.url))
const runner = fileURLToPath(new URL('../build/run-program.cjs', import.meta.url))
const manifest = new URL('../../../package.json', import.meta.url)

/** The bin in a folder where the program is `text`, run by a Node that says it is of this version. */
async function run(text: string, version = process.versions.node, ...words: string[]) {
  const folder = await temporaryFolder()
  for (const name of ['bin', 'build']) mkdirSync(path.join(folder, name))
  cpSync(bin, path.join(folder, 'bin', 'farhand.cjs'))
  cpSync(runner, path.join(folder, 'build', 'run-program.cjs'))
  writeFileSync(
    path.join(folder, 'build', 'program.cjs'),
    "exports.program = () => require.resolve('./main.cjs')",
  )
  writeFileSync(path.join(folder, 'build', 'main.cjs'), text)
  writeFileSync(path.join(folder, 'package.json'), '{ "version": "7.1.2" }')
  writeFileSync(
    path.join(folder, 'older.cjs'),
    `Object.defineProperty(process.versions, 'node', { value: '${version}' })`,
  )
  const args = [
    '--require',
    path.join(folder, 'older.cjs'),
    path.join(folder, 'bin', 'farhand.cjs'),
    ...words,
  ]
  const ran = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const kept = readdirSync(path.join(folder, 'build')).filter((name) => name.endsWith('.code'))
  return { ...ran, kept }
}

/** A program that goes on until what was compiled of it is kept, or for so long. */
const goesOn = (mostMs: number) => `
  const { readdirSync } = require('node:fs')
  const untilMs = Date.now() + ${mostMs}
  const isKept = () => readdirSync(__dirname).some((name) => name.endsWith('.code'))
  const wait = () => isKept() || Date.now() > untilMs || setTimeout(wait, 20)
  wait()
`

describe('the bin', () => {
  it.each(['18.20.4', '20.18.9'])('says that Node %s is too old, and loads nothing', async (version) => {
    const { stderr, status, stdout } = await run("console.log('loaded')", version)
    const wanted = JSON.parse(readFileSync(manifest, 'utf8')).engines.node.replace('>=', '')
    expect(stderr).toBe(
      `Farhand needs Node ${wanted} or newer, and this is ${version}. Get one from https://nodejs.org\n`,
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  })

  it('says in one sentence that a package is gone', async () => {
    const { stderr, status } = await run("const load = require; load('gone-for-good')")
    expect(stderr).toBe(
      "A package is missing: run `npm install`, or install farhand again. (Cannot find module 'gone-for-good')\n",
    )
    expect(status).toBe(1)
  })

  it.each([
    ['hub', 'hub'],
    ['start', 'hub'],
    ['link', 'link'],
    ['history', null],
  ])('keeps what was compiled for those that go on running, each its own: %s', async (word, name) => {
    // What is not to be kept is not waited for as long as what is.
    const { kept } = await run(goesOn(name === null ? 2_000 : 20_000), process.versions.node, word)
    expect(kept.map((file) => file.split('-')[0])).toEqual(name === null ? [] : [name])
  })

  it.each(['--version', '-V'])(
    'says with %s what version it is, and loads nothing for that',
    async (word) => {
      const { stdout, status } = await run("console.log('loaded')", process.versions.node, word)
      expect({ stdout, status }).toEqual({ stdout: '7.1.2\n', status: 0 })
    },
  )

  it('runs what is there', async () => {
    const { stdout, status } = await run('console.log(1)')
    expect({ stdout, status }).toEqual({ stdout: '1\n', status: 0 })
  })
})
