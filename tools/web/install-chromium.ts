import { createRequire } from 'node:module'
import process from 'node:process'
import { installPackage, thisMachine } from '../install-package.ts'

const require = createRequire(import.meta.url)

/** Before tests: the app is looked at in a real browser. It is built here, or each hub of the tests would do that again. */
export default async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  const trouble = await installPackage({ program: 'chromium', package: 'chromium' }, thisMachine)
  if (trouble) process.stderr.write(`The tests in a browser are skipped: ${trouble}\n`)
  const { webApp } = require('../../packages/web/build/web-app.cjs') as { webApp(): Promise<string> }
  if (!trouble) await webApp()
}
