import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { type Link, StateFolder } from '@farhand/sync/state/state-folder'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'
import { type HubHere, hubHere } from './local-hub/hub-here-under-test.ts'
import { RunOfFiles } from './pull/run-of-files-under-test.ts'

let hub: HubHere
let run: RunOfFiles
let folder: string
let access: string[]

beforeAll(async () => {
  const here = await hubHere()
  hub = here.hub
  return here.stop
})

beforeEach(async () => {
  run = await RunOfFiles.begin(hub)
  folder = await realpath(await temporaryFolder())
  access = ['--hub', hub.url, '--token', hub.token, '--state', await temporaryFolder()]
})

const pull = (...words: string[]) => runHere(['pull', ...words, ...access], { cwd: folder })
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const write = (name: string, text: string) => writeFile(path.join(folder, name), text)
// A program may still write to a file that was replaced a moment ago: it is there for a while.
const names = () => readdirSync(folder).filter((name) => name !== '.farhand')
const brought = async (...words: string[]) =>
  JSON.parse((await pull(...words, '--json')).out).brought.map(({ path }: { path: string }) => path)

describe('farhand pull', () => {
  it('takes the run of the linked folder that it is called in, with any target folder', async () => {
    await run.write('a', 'one')
    const device = newId(DeviceId, 'dev')
    const link: Link = { folder, ...hub, at: run.at, wins: 'disk', device, generations: [] }
    new StateFolder(access.at(-1)!).save(link)
    const elsewhere = await temporaryFolder()
    await pull('--into', elsewhere)
    expect(readFileSync(path.join(elsewhere, 'a'), 'utf8')).toBe('one')
  })

  it('brings the files of a run, and the next one only what has changed', async () => {
    await run.write('src/a.txt', 'one')
    await run.write('run.sh', '#!/bin/sh\n', '100755')
    const { out } = await pull(run.at.run)
    expect(out).toBe(
      `${runInWords(run.at.run)} to ${folder}\n  new     run.sh\n  new     src/a.txt\n2 new.\n`,
    )
    expect(read('src/a.txt')).toBe('one')
    expect(lstatSync(path.join(folder, 'run.sh')).mode & 0o111).not.toBe(0)
    await run.write('src/a.txt', 'two')
    await run.write('run.sh', null)
    expect((await pull()).out).toContain('1 changed, 1 deleted.')
    expect(read('src/a.txt')).toBe('two')
    expect(names()).toEqual(['src'])
    expect((await pull()).out).toContain('Everything is here already: 1 file.')
  })

  it('only shows what it would do when asked to', async () => {
    await run.write('a', 'one')
    expect((await pull(run.at.run, '--dry-run')).out).toMatch(
      / {2}new {5}a\nNothing was written\. It would be: 1 new\.\n$/,
    )
    expect((await pull(run.at.run, '--into', 'new/place', '--dry-run')).out).toContain('It would be: 1 new.')
    expect(readdirSync(folder)).toEqual([])
  })

  it('brings only the paths that are named', async () => {
    for (const name of ['src/a', 'src/b/c', 'other']) await run.write(name, name)
    expect(await brought(run.at.run, 'src/b', 'other')).toEqual(['other', 'src/b/c'])
    expect(existsSync(path.join(folder, 'src/a'))).toBe(false)
    await expect(pull(run.at.run, 'othr')).rejects.toMatchObject({ nextStep: 'Did you mean other?' })
  })

  it('leaves what was changed here alone, names what both changed, and takes the rest', async () => {
    for (const name of ['mine', 'both', 'theirs']) await run.write(name, 'one')
    await pull(run.at.run)
    for (const name of ['mine', 'both']) await write(name, 'changed here')
    for (const name of ['both', 'theirs']) await run.write(name, 'changed there')
    const trouble = { exit: 'mustAsk', message: expect.stringContaining('something else: both.') }
    await expect(pull()).rejects.toMatchObject(trouble)
    expect(['mine', 'both', 'theirs'].map(read)).toEqual(['changed here', 'changed here', 'changed there'])
  })

  it('takes what the run has by force, and what was here can be had again', async () => {
    await run.write('a', 'one')
    await write('a', 'never sent')
    await expect(pull(run.at.run)).rejects.toMatchObject({ exit: 'mustAsk' })
    expect(read('a')).toBe('never sent')
    await pull(run.at.run, 'a', '--force')
    expect(read('a')).toBe('one')
    const { out } = await runHere(['history', 'a', '--run', run.at.run, ...access, '--json'], { cwd: folder })
    const kept = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    expect(kept).toMatchObject([{ state: 'kept', size: null }, { state: 'current' }])
  })

  it('deletes nothing that it has not brought, nor what was changed since', async () => {
    for (const name of ['a', 'b']) await run.write(name, name)
    await pull(run.at.run)
    await write('own', 'mine')
    await write('b', 'changed here')
    for (const name of ['a', 'b']) await run.write(name, null)
    await expect(pull('--force')).rejects.toMatchObject({ exit: 'mustAsk' })
    expect(names()).toEqual(['b', 'own'])
  })

  it('makes the folder that it is to bring them into, and never leaves it through a link', async () => {
    await run.write('inner/a', 'one')
    await pull(run.at.run, '--into', 'new/place')
    expect(read('new/place/inner/a')).toBe('one')
    const outside = await temporaryFolder()
    await mkdir(path.join(folder, 'bent'))
    await symlink(outside, path.join(folder, 'bent/inner'))
    await expect(pull(run.at.run, '--into', 'bent')).rejects.toMatchObject({ exit: 'failed' })
    expect(readdirSync(outside)).toEqual([])
  })

  it('brings large files and links as what they are', async () => {
    const large = new Uint8Array(3_000_000).fill(7)
    await run.write('large', large)
    await run.write('link', 'large', '120000')
    await pull(run.at.run)
    expect(lstatSync(path.join(folder, 'large')).size).toBe(large.length)
    expect(lstatSync(path.join(folder, 'link')).isSymbolicLink()).toBe(true)
  })

  it('says which run it wants where none is known', async () => {
    await expect(pull()).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringMatching(/^Which run\?/),
    })
    await rm(folder, { recursive: true })
  })
})
