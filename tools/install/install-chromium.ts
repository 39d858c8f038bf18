import { createRequire } from 'node:module'
import process from 'node:process'
import { installPackage, type Machine, thisMachine } from './install-package.ts'

const require = createRequire(import.meta.url)
const [whole, shell] = ['chromium', 'chromium-headless-shell']

/** Installs a browser before tests of the app, and builds the app, which otherwise each hub of the tests would do again. */
export default async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  const trouble = await installChromium(thisMachine)
  if (trouble) process.stderr.write(`The tests in a browser are skipped: ${trouble}\n`)
  const { webApp } = require('../../packages/web/build/web-app.cjs') as { webApp(): Promise<string> }
  if (!trouble) await webApp()
}

/**
 * Installs Chromium; returns the reason if that fails, in words, or null. The headless one is installed too, where the system
 * has it: it needs half the work for a page; but only the other one shows notifications.
 */
export async function installChromium(machine: Machine): Promise<string | null> {
  const trouble = await installPackage({ program: whole, package: whole }, machine)
  if (!trouble) await installPackage({ program: shell, package: shell }, machine)
  return trouble
}
