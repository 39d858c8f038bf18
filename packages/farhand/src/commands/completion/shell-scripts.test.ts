import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { type Shell, shellScript } from './shell-scripts.ts'

const bin = fileURLToPath(new URL('../../../bin/farhand.cjs', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'farhand-tab-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const state = path.join(folder, 'state')
const run = 'run_4fJ2xQ7aLm0ZpT9c'

// A folder with a blank and a colon in its name is what breaks such scripts.
const linked = path.join(folder, 'my own: project')
mkdirSync(path.join(state, 'runs', run), { recursive: true })
mkdirSync(linked)
const at = { project: 'prj_4fJ2xQ7aLm0ZpT9c', task: 'tsk_4fJ2xQ7aLm0ZpT9c', run }
writeFileSync(
  path.join(state, 'runs', run, 'run.json'),
  JSON.stringify({ url: 'http://127.0.0.1:1', token: 't', at, agent: 'rehearsal', workspace: linked }),
)
writeFileSync(path.join(folder, 'farhand'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
chmodSync(path.join(folder, 'farhand'), 0o755)

function inShell(shell: Shell, script: string): string[] {
  writeFileSync(path.join(folder, `script.${shell}`), shellScript(shell, 'farhand'))
  const flags = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }[shell]
  const env = { PATH: `${folder}:${process.env.PATH}`, FARHAND_STATE: state, HOME: folder, TERM: 'dumb' }
  const { stdout } = spawnSync(shell, [...flags, script], { env, cwd: folder, encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line !== '')
}

const has = (shell: Shell) => {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')

/** What each shell would offer for the last of these words. */
const offered: Record<Shell, (words: readonly string[]) => string[]> = {
  bash: (words) =>
    inShell(
      'bash',
      `source script.bash 2>&1; COMP_WORDS=(farhand ${quoted(words)}); COMP_CWORD=${words.length}
       _farhand_complete 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ),
  // Here and below the shell's own part, which draws the menu, is replaced by one that prints it.
  zsh: (words) =>
    inShell(
      'zsh',
      `compdef() { }; _describe() { print -rl -- "\${(@P)2}" }; _files() { print -rl -- *(N) }
       source ./script.zsh; words=(farhand ${quoted(words)}); CURRENT=${words.length + 1}; _farhand`,
    ).map((line) => line.replaceAll('\\:', '\0').replace(/:.*$/, '').replaceAll('\0', ':')),
  fish: (words) =>
    inShell('fish', `source script.fish; complete -C 'farhand ${words.join(' ')}'`).map(
      (line) => line.split('\t')[0]!,
    ),
}

describe.each(['bash', 'zsh', 'fish'] as const)('in a real %s', (shell) => {
  it.skipIf(!has(shell))(`${shell} offers commands, options, runs and files`, { timeout: 60_000 }, () => {
    expect(offered[shell](['und'])).toEqual(['undo'])
    expect(offered[shell](['run', '--poli'])).toEqual(['--policy'])
    expect(offered[shell](['close', 'run_'])).toEqual([run])
    expect(offered[shell](['history', 's']).map((name) => name.replace(/\/$/, ''))).toContain('state')
  })
})
