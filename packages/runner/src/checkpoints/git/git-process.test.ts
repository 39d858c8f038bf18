import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isNoProgram } from './git.ts'
import { runGit } from './git-process.ts'

/** A folder with a program that is called git. */
function fakeGit(script: string): { cwd: string; env: { PATH: string } } {
  const cwd = mkdtempSync(join(tmpdir(), 'farhand-git-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  if (script !== '') writeFileSync(join(cwd, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { cwd, env: { PATH: `${cwd}:${script === '' ? '' : '/usr/bin:/bin'}` } }
}

it('a git that was killed is not taken for one that is missing', async () => {
  const killed = await runGit(['status'], fakeGit('kill -9 $$')).catch((error: unknown) => error)
  expect(killed).toMatchObject({
    name: 'GitFailed',
    code: 'SIGKILL',
    message: 'git status: ended by SIGKILL',
  })
  expect(isNoProgram(killed)).toBe(false)
  const missing = await runGit(['status'], fakeGit('')).catch((error: unknown) => error)
  expect(missing).toMatchObject({ name: 'GitFailed', code: null })
  expect(isNoProgram(missing)).toBe(true)
})

it('says why git failed, by the end of what git said', async () => {
  const given = { ...fakeGit('echo one >&2; echo "fatal: two" >&2; exit 3'), mostStderr: 11 }
  await expect(runGit(['status'], given)).rejects.toMatchObject({
    code: 3,
    message: 'git status: fatal: two',
  })
})

it('an abort does not wait for what git has started, even if that keeps the output open', async () => {
  const stop = new AbortController()
  const why = new Error('enough')
  const given = { ...fakeGit('sleep 600 & echo $! > pid; echo begun; wait'), input: 'x', signal: stop.signal }
  const running = runGit(['status'], given)
  const pid = await vi.waitFor(
    () => Number(/^\d+\n$/.exec(readFileSync(join(given.cwd, 'pid'), 'utf8'))![0]),
    60_000,
  )
  onTestFinished(() => void process.kill(pid))
  stop.abort(why)
  await expect(running).rejects.toBe(why)
  expect(() => process.kill(pid, 0)).not.toThrow()
})
