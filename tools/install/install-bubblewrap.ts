import process from 'node:process'
import { installPackage, thisMachine } from './install-package.ts'

/** Installs bubblewrap before tests: a system package that a new machine does not have. */
export default async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  const trouble = await installPackage({ program: 'bwrap', package: 'bubblewrap' }, thisMachine)
  if (trouble) process.stderr.write(`The tests with bubblewrap sandboxes are skipped: ${trouble}\n`)
}
