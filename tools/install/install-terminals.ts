import process from 'node:process'
import { installPackage, thisMachine } from './install-package.ts'

/**
 * Before tests: what people see at a terminal is looked at in one, and tmux is one that tests can drive; what Tab offers
 * is asked of the shells that people have.
 */
export default async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  for (const program of ['tmux', 'zsh', 'fish']) {
    const trouble = await installPackage({ program, package: program }, thisMachine)
    if (trouble) process.stderr.write(`The tests in ${program} are skipped: ${trouble}\n`)
  }
}
