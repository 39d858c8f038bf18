import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

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

it('names what tests leave in the folder for temporary files, without the letters that change, and removes it', async () => {
  const { said, stillThere } = await inProcess(`
    for (const name of ['farhand-hub-', 'farhand-hub-', 'farhand-a-']) mkdtempSync(path.join(tmpdir(), name))
    writeFileSync(path.join(tmpdir(), 'farhand-blobs-aB3_x9.sqlite'), '')
    console.log(JSON.stringify(leftBehind()))`)
  expect(said).toEqual(['farhand-a-*', 'farhand-blobs-*.sqlite', 'farhand-hub-*'])
  expect(stillThere).toEqual([])
})

it('has an empty home that is nowhere else, and no folder of the user for settings or state', async () => {
  const { said, stillThere, temporary } = await inProcess(`
    writeFileSync(path.join(homedir(), 'settings'), '')
    const xdg = Object.keys(process.env).filter((name) => name.startsWith('XDG_'))
    const npm = process.env.npm_config_cache
    console.log(JSON.stringify({ home: homedir(), xdg, npm, left: leftBehind(), exists: existsSync(homedir()) }))`)
  expect(said).toMatchObject({ xdg: [], left: [], exists: false })
  expect(said.home).not.toBe(temporary)
  expect(said.npm).not.toContain(said.home)
  expect([stillThere, existsSync(temporary)]).toEqual([[], true])
})
