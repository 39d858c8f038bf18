import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runGitSync } from '../git/run-git.ts'

/** Makes a small repository with history, uncommitted work, an executable file and a symlink. */
export function makeRepository(root: string, env: Env): void {
  mkdirSync(path.join(root, 'src'), { recursive: true })
  const write = (name: string, text: string) => writeFileSync(path.join(root, name), text)
  write('README.md', '# A place to practise\n')
  write('run.sh', '#!/bin/sh\necho practice\n')
  chmodSync(path.join(root, 'run.sh'), 0o755)
  symlinkSync('README.md', path.join(root, 'about'))
  for (let n = 1; n <= 40; n++) write(`src/part-${n}.txt`, `part ${n}\n`.repeat(n * 20))
  const git = (...words: string[]) =>
    runGit(root, env, ['-c', 'user.name=Drill', '-c', 'user.email=drill@example.org', ...words])
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'The beginning')
  git('checkout', '-q', '-b', 'practice')
  write('src/part-1.txt', 'part 1, once more\n')
  git('commit', '-q', '-a', '-m', 'A second thought')
  write('src/part-2.txt', 'not committed\n')
  write('src/new.txt', 'not even added\n')
}

/** Git commands that show the state of a repository: its commit, its branch, and what index and files change. */
export const gitStateCommands = [
  'rev-parse HEAD',
  'symbolic-ref HEAD',
  'status --porcelain --untracked-files=all',
]

/** The sorted output of these commands in this folder. */
export const gitState = (root: string, env: Env): string[] =>
  gitStateCommands
    .flatMap((words) => runGit(root, env, words.split(' ')).split('\n'))
    .filter(Boolean)
    .sort()

type Env = Readonly<Record<string, string | undefined>>

const runGit = (cwd: string, { PATH }: Env, words: readonly string[]) =>
  runGitSync(words, { cwd, env: { PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' } })
