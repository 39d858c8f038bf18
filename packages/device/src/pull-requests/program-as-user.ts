import { spawn } from 'node:child_process'
import { pathForGit } from '../git/path-for-git.ts'

/** What a program needs of the process that starts it: with a terminal, it may ask for a password. */
export type StartedBy = {
  env: Readonly<Record<string, string | undefined>>
  terminal: boolean
  stop: AbortSignal
}

export type Ended = { code: number; out: string; said: string }

// Variables that bind git to one repository, set if farhand was called from a git hook, for example.
const local =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|COMMON_DIR|SHALLOW_FILE|GRAFT_FILE)$/
const mostSaid = 1024 * 1024

/**
 * Runs a program with the user's settings, credentials and hooks. It may ask for a password if there is a terminal.
 * Null if there is no such program.
 */
export function programAsUser(
  program: string,
  args: readonly string[],
  cwd: string,
  { env, terminal, stop }: StartedBy,
  { input = '', env: more = {} }: { input?: string; env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<Ended | null> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !local.test(name)))
  const quiet = terminal ? {} : { GIT_TERMINAL_PROMPT: '0' }
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: {
        ...own,
        ...more,
        // Also applies to `gh`, and to what git and gh start.
        ...pathForGit(own, [cwd]),
        ...quiet,
        LC_ALL: 'C',
        LANGUAGE: '',
        GH_PROMPT_DISABLED: '1',
        GIT_PAGER: 'cat',
      },
      stdio: 'pipe',
      signal: stop,
    })
    let [out, said] = ['', '']
    child.stdout.on('data', (piece) => {
      out = (out + piece).slice(-mostSaid)
    })
    child.stderr.on('data', (piece) => {
      said = (said + piece).slice(-mostSaid)
    })
    child.on('error', (error) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') resolve(null)
      else reject(error)
    })
    child.on('close', (code) => resolve({ code: code ?? 1, out, said }))
    // It may end before it has read everything.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
