import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { randomName } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished } from 'vitest'
import { markName, processesOf } from './processes.ts'
import { SandboxFolders } from './sandbox-folder.ts'
import { runUnderTest as run } from './shell-spec-under-test.ts'
import { SupervisedSandboxes } from './supervised-sandboxes.ts'
import { supervisorScript } from './supervisor-script.ts'

const kind = 'test'

function leftBy(id: string) {
  const root = mkdtempSync(path.join(tmpdir(), 'farhand-left-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = new SandboxFolders(root).make({ id, run, kind, cgroups: [] })
  return { root, folder, sandboxes: new SupervisedSandboxes(kind, root) }
}

describe.skipIf(process.platform !== 'linux')('what a hub finds that another one left', () => {
  it('is not mistaken for a later process with the same pid', async () => {
    const { folder, sandboxes } = leftBy('sb_old')
    const stranger = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
    onTestFinished(() => void stranger.kill('SIGKILL'))
    const stat = readFileSync(`/proc/${stranger.pid}/stat`, 'utf8').split(' ')
    stat[21] = String(Number(stat[21]) - 1000)
    writeFileSync(folder.place('supervisor'), stat.join(' '))
    expect(sandboxes.list()).toEqual([{ id: 'sb_old', run, isRunning: false }])
    expect(await sandboxes.ended('sb_old')).toEqual({ code: null, signal: null, lastWords: '' })
    await sandboxes.remove('sb_old')
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
    expect(existsSync(`/proc/${stranger.pid}`)).toBe(true)
    expect(sandboxes.list()).toEqual([])
  })

  it('is removed completely if an earlier removal was cut short', async () => {
    const { root, folder, sandboxes } = leftBy('sb_half')
    renameSync(folder.path, `${folder.path}.gone`)
    expect(sandboxes.list()).toEqual([{ id: 'sb_half', run, isRunning: false }])
    await sandboxes.remove('sb_half')
    expect(readdirSync(root)).toEqual([])
  })

  it('counts as never started if its note is incomplete', () => {
    const { folder, sandboxes } = leftBy('sb_torn')
    writeFileSync(folder.place('note.json'), '{"id":"sb_to')
    expect(sandboxes.list()).toEqual([])
  })

  it('is listed by the host of its kind alone', () => {
    const { root, sandboxes } = leftBy('sb_one')
    expect(sandboxes.list()).toHaveLength(1)
    expect(new SupervisedSandboxes('other', root).list()).toEqual([])
  })

  it('is never a folder outside of the host’s own, even if its id names one', async () => {
    const { root, sandboxes } = leftBy('sb_in')
    const outside = `../${path.basename(mkdtempSync(`${root}-out-`))}`
    onTestFinished(() => rmSync(path.join(root, outside), { recursive: true }))
    await sandboxes.remove(outside)
    expect(existsSync(path.join(root, outside))).toBe(true)
  })

  it('cannot begin once it is being removed', async () => {
    const { folder, sandboxes } = leftBy('sb_late')
    await sandboxes.remove('sb_late')
    const late = spawn('/bin/sh', ['-c', supervisorScript, 'late', folder.path, 'touch', folder.path], {
      stdio: 'ignore',
    })
    const code = await new Promise((resolve) => late.once('exit', resolve))
    expect(code).not.toBe(0)
    expect(existsSync(folder.path)).toBe(false)
  })

  it('has its last output kept, no matter how late a hub reads it', async () => {
    const id = `sb_${randomName(12)}`
    const { folder, sandboxes } = leftBy(id)
    const slow = supervisorScript.replace("exec sh -c '", "exec sh -c 'sleep 1")
    spawn('/bin/sh', ['-c', slow, 'slow', folder.path, 'echo', 'at last'], {
      detached: true,
      env: { [markName]: id, PATH: '/usr/bin:/bin' },
      stdio: 'ignore',
    })
    await expect.poll(() => existsSync(folder.place('code')), { timeout: 60_000 }).toBe(true)
    expect(await sandboxes.ended(id)).toEqual({ code: 0, signal: null, lastWords: 'at last\n' })
  })

  it('ends if its folder was removed, as no hub would find it', async () => {
    // By a mark of its own: other tests on this machine may have the same at the same time.
    const id = `sb_${randomName(12)}`
    const { folder } = leftBy(id)
    const impatient = supervisorScript.replace('sleep 30', 'sleep 0.05')
    const left = spawn('/bin/sh', ['-c', impatient, 'lost', folder.path, 'sleep', '1000'], {
      detached: true,
      env: { [markName]: id, PATH: '/usr/bin:/bin' },
      stdio: 'ignore',
    })
    const exit = new Promise((resolve) => left.once('exit', (_, signal) => resolve(signal)))
    await expect.poll(() => existsSync(folder.place('words-keeper')), { timeout: 60_000 }).toBe(true)
    await folder.remove()
    expect(await exit).toBe('SIGKILL')
    await expect
      .poll(() => processesOf({ mark: id, leader: null, cgroups: [] }), { timeout: 60_000 })
      .toEqual([])
  })
})
