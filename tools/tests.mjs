import process from 'node:process'
import { parseCLI, startVitest } from 'vitest/node'
import { endDescendants } from './end-descendants.mjs'
import { onInterrupt } from './on-interrupt.mjs'
import { root } from './prepare.mjs'

/**
 * Runs the tests in this process; `args` are vitest's own (a path, `-t name`). Whatever is wrong counts as a
 * failure: a test, a file that does not load, an error nobody caught, a run without any test.
 * @param {readonly string[]} args
 * @returns {Promise<{ passed: number, failed: string[], skipped: string[] }>}
 */
export async function runTests(args) {
  const forget = onInterrupt(endDescendants)
  const { filter, options } = parseCLI(['vitest', 'run', ...args])
  const vitest = await startVitest('test', filter, { ...options, root, watch: false, run: true })
  let passed = 0
  const failed = vitest.state
    .getUnhandledErrors()
    .map((error) => `an error nobody caught: ${firstLine(error)}`)
  const skipped = []
  const modules = vitest.state.getTestModules()
  if (modules.length === 0) failed.push(`no test was found for ${filter.join(' ') || 'this repository'}`)
  for (const module of modules) {
    for (const error of module.errors()) failed.push(`${module.relativeModuleId}: ${firstLine(error)}`)
    for (const suite of module.children.allSuites()) {
      for (const error of suite.errors())
        failed.push(`${module.relativeModuleId}: ${suite.fullName}: ${firstLine(error)}`)
    }
    for (const test of module.children.allTests()) {
      const name = `${module.relativeModuleId}: ${test.fullName}`
      const result = test.result()
      if (result.state === 'passed') passed += 1
      else if (result.state === 'skipped') skipped.push(`${name}: ${result.note ?? 'marked so in the test'}`)
      else failed.push(name)
    }
  }
  await vitest.close()
  forget()
  process.exitCode = 0
  return { passed, failed, skipped }
}

/** @param {unknown} error */
const firstLine = (error) => {
  const message = error !== null && typeof error === 'object' && 'message' in error ? error.message : error
  return String(message).split('\n')[0]
}
