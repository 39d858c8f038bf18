import { createRequire } from 'node:module'
import process from 'node:process'
import { installPackage, type Machine, thisMachine } from './install-package.ts'

const require = createRequire(import.meta.url)
const [whole, shell] = ['chromium', 'chromium-headless-shell']

/** Before tests: the app is looked at in a real browser. It is built here, or each hub of the tests would do that again. */
export default async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  const trouble = await installChromium(thisMachine)
  if (trouble) process.stderr.write(`The tests in a browser are skipped: ${trouble}\n`)
  const { webApp } = require('../../packages/web/build/web-app.cjs') as { webApp(): Promise<string> }
  if (!trouble) await webApp()
}

/**
 * Gives the machine a browser; gives back why it has none, in words, or null. The one without windows comes along where
 * the system has it, as pages take half the work in it; notifications are shown by the other only.
 */
export async function installChromium(machine: Machine): Promise<string | null> {
  const trouble = await installPackage({ program: whole, package: whole }, machine)
  if (!trouble) await installPackage({ program: shell, package: shell }, machine)
  return trouble
}
