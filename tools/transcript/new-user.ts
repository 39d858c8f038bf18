import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Terminal } from './terminal.ts'

const before = 'def mean(numbers):\n    return sum(numbers) / 2\n'
const after = 'def mean(numbers):\\n    return sum(numbers) / len(numbers)\\n'
const said = `ask permission to write stats.py with "${after}". run \`git commit -qam "Divide by how many there are"\``

/** A project with a remote, as a new user has it. */
export function makeProject(home: string, env: Readonly<Record<string, string>>): string {
  const [remote, project] = [path.join(home, 'remote.git'), path.join(home, 'project')]
  const git = (cwd: string, ...words: string[]) => execFileSync('git', words, { cwd, env, stdio: 'pipe' })
  mkdirSync(project)
  git(home, 'init', '-q', '--bare', '-b', 'main', remote)
  git(home, 'config', '--global', 'user.name', 'Ada')
  git(home, 'config', '--global', 'user.email', 'ada@example.org')
  git(home, 'config', '--global', 'init.defaultBranch', 'main')
  git(project, 'init', '-q')
  writeFileSync(path.join(project, 'stats.py'), before)
  writeFileSync(path.join(project, 'README.md'), '# Stats\n')
  git(project, 'add', '.')
  git(project, 'commit', '-q', '-m', 'First')
  git(project, 'remote', 'add', 'origin', remote)
  git(project, 'push', '-q', '-u', 'origin', 'main')
  return project
}

/** What a new user does in the first five minutes: begin, answer, edit, leave, come back, take over, publish, undo. */
export async function firstMinutes(terminal: Terminal): Promise<void> {
  await terminal.runs('git log --oneline')
  await terminal.enters(`farhand run --agent rehearsal '${said}'`, /Press 1-4/)
  await terminal.until(/Type a message/, () => terminal.press('y'))
  await terminal.runs('/detach')
  await terminal.runs('echo "Means of numbers." >> README.md')
  await terminal.enters('farhand attach', /Type a message/)
  await terminal.enters('read README.md', /I read README/)
  await terminal.runs('/detach')
  await terminal.runs('farhand handoff --to here')
  await terminal.enters('farhand pr --title "Divide by how many there are"', /\[Y\/n\]/)
  await terminal.runs('y')
  await terminal.runs('farhand undo')
  await terminal.runs('farhand close')
}
