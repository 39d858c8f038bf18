import process from 'node:process'
import { installPackage, thisMachine } from '../install-package.ts'

/** Before tests: what people see at a terminal is looked at in one, and tmux is one that tests can drive. */
export default async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  const trouble = await installPackage({ program: 'tmux', package: 'tmux' }, thisMachine)
  if (trouble) process.stderr.write(`The tests at a terminal are skipped: ${trouble}\n`)
}
