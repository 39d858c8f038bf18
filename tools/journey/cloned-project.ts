import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'

export type ClonedProject = {
  /** The clone in which the user works. */
  folder: string
  /** The repository that it was cloned from, and that pull requests go to. */
  remote: string
  git(...words: string[]): string
}

/** A fresh clone of a project of several people. */
export function clonedProject(
  home: string,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): ClonedProject {
  const [theirs, remote, folder] = ['theirs', 'remote.git', 'project'].map((name) =>
    path.join(home, name),
  ) as [string, string, string]
  const run = (cwd: string, ...words: string[]) =>
    execFileSync('git', words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  run(home, 'config', '--global', 'user.name', 'Ada')
  run(home, 'config', '--global', 'user.email', 'ada@example.org')
  run(home, 'config', '--global', 'init.defaultBranch', 'main')
  run(home, 'init', '-q', theirs)
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(theirs, name), text)
  run(theirs, 'add', '.')
  run(theirs, 'commit', '-q', '-m', 'First')
  run(home, 'clone', '-q', '--bare', theirs, remote)
  run(home, 'clone', '-q', remote, folder)
  return { folder, remote, git: (...words) => run(folder, ...words) }
}
