import { execFile, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { loopsIn, removeOld } from './own-place.mjs'

const module = fileURLToPath(new URL('own-place.mjs', import.meta.url))

/** What a process says that takes a place of its own and then does `acts`, in an empty folder for temporary files. */
async function inProcess(acts: string) {
  const temporary = mkdtempSync(path.join(tmpdir(), 'own-place-'))
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }))
  const script = `
    import { mkdtempSync, writeFileSync, existsSync, readdirSync } from 'node:fs'
    import { homedir, tmpdir } from 'node:os'
    import path from 'node:path'
    import { takeOwnPlace } from ${JSON.stringify(module)}
    const before = { home: homedir(), temporary: tmpdir() }
    const { leftBehind } = takeOwnPlace()
    ${acts}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: temporary, HOME: temporary, XDG_STATE_HOME: temporary },
  })
  return { said: JSON.parse(stdout), stillThere: readdirSync(temporary), temporary }
}

it('names what tests leave in the folder for temporary files, and what is in it, and removes it', async () => {
  const { said, stillThere } = await inProcess(`
    for (const name of ['farhand-hub-', 'farhand-hub-', 'farhand-a-']) mkdtempSync(path.join(tmpdir(), name))
    writeFileSync(path.join(tmpdir(), 'farhand-blobs-aB3_x9.sqlite'), '')
    writeFileSync(path.join(mkdtempSync(path.join(tmpdir(), 'farhand-b-')), 'a.txt'), '')
    console.log(JSON.stringify(leftBehind()))`)
  expect(said).toEqual(['farhand-a-*', 'farhand-b-* (a.txt)', 'farhand-blobs-*.sqlite', 'farhand-hub-*'])
  expect(stillThere).toEqual([])
})

it('looks in memory for what tests leave, too, and removes it', async () => {
  const { said } = await inProcess(`
    const memory = process.env.FARHAND_TEST_MEMORY ?? tmpdir()
    mkdtempSync(path.join(memory, 'farhand-hub-'))
    console.log(JSON.stringify({ left: leftBehind(), exists: existsSync(path.dirname(memory)) }))`)
  expect(said).toEqual({ left: ['farhand-hub-*'], exists: false })
})

it('removes what test runs that were killed long ago have left in memory, and nothing else', () => {
  const memory = mkdtempSync(path.join(tmpdir(), 'own-place-'))
  onTestFinished(() => rmSync(memory, { recursive: true, force: true }))
  const ended = spawnSync(process.execPath, ['-e', '']).pid
  for (const name of [`fht-${ended}-a`, `fht-${process.pid}-b`, 'others', `fht-${ended}-new`]) {
    mkdirSync(path.join(memory, name))
    if (!name.endsWith('new')) utimesSync(path.join(memory, name), 0, 0)
  }
  removeOld(memory)
  expect(readdirSync(memory).sort()).toEqual([`fht-${ended}-new`, `fht-${process.pid}-b`, 'others'].sort())
})

it('leaves what it may not look at or remove, and goes on with the rest', () => {
  const memory = mkdtempSync(path.join(tmpdir(), 'own-place-'))
  onTestFinished(() => rmSync(memory, { recursive: true, force: true }))
  const ended = spawnSync(process.execPath, ['-e', '']).pid
  const [first, old, last] = ['a', 'b', 'c'].map((name) => path.join(memory, `fht-${ended}-${name}`))
  // A link to nowhere cannot be looked at either, whichever user asks.
  symlinkSync('nowhere', first!)
  mkdirSync(old!)
  utimesSync(old!, 0, 0)
  symlinkSync('nowhere', last!)
  removeOld(memory)
  expect([first, old, last].map((place) => readdirSync(memory).includes(path.basename(place!)))).toEqual([
    true,
    false,
    true,
  ])
})

it('has an empty home that is nowhere else, and no folder of the user for settings or state', async () => {
  const { said, stillThere, temporary } = await inProcess(`
    writeFileSync(path.join(homedir(), 'settings'), '')
    const xdg = Object.keys(process.env).filter((name) => name.startsWith('XDG_'))
    const { npm_config_cache: npm, npm_config_logs_dir: logs } = process.env
    console.log(JSON.stringify({ home: homedir(), xdg, npm, logs, left: leftBehind(), exists: existsSync(homedir()) }))`)
  expect(said).toMatchObject({ xdg: [], left: [], exists: false })
  expect(said.home).not.toBe(temporary)
  expect(said.npm).not.toContain(said.home)
  expect(path.dirname(said.logs)).toBe(said.home)
  expect([stillThere, existsSync(temporary)]).toEqual([[], true])
})

it.runIf(process.platform === 'linux')(
  'names loop devices with a disk in the own place, and no others',
  () => {
    const devices = mkdtempSync(path.join(tmpdir(), 'own-place-'))
    onTestFinished(() => rmSync(devices, { recursive: true, force: true }))
    const disks = ['/tmp/fht-1/t/a', '/tmp/fht-1/t/b (deleted)', '/tmp/fht-12/t/c', null]
    disks.forEach((disk, nth) => {
      const folder = path.join(devices, `loop${nth}`, 'loop')
      mkdirSync(folder, { recursive: true })
      if (disk !== null) writeFileSync(path.join(folder, 'backing_file'), `${disk}\n`)
    })
    expect(loopsIn('/tmp/fht-1', devices)).toEqual(['loop device of t/a', 'loop device of t/b (deleted)'])
  },
)
