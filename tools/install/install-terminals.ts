import process from 'node:process'
import { installPackage, thisMachine } from './install-package.ts'

/**
 * Installs tmux and shells before tests: tmux is a terminal that tests can drive, and tab completion is tested in the shells
 * that users have.
 */
export default async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  for (const program of ['tmux', 'zsh', 'fish']) {
    const trouble = await installPackage({ program, package: program }, thisMachine)
    if (trouble) process.stderr.write(`The tests in ${program} are skipped: ${trouble}\n`)
  }
}
