import process from 'node:process'
import { parseCLI, startVitest } from 'vitest/node'
import { root } from '../prepare.mjs'
import { endDescendants } from '../processes/end-descendants.mjs'
import { onInterrupt } from '../processes/on-interrupt.mjs'
import { watchGroups } from './left-groups.mjs'
import { isStartedHere, markStarted } from './left-running.mjs'
import { takeOwnPlace } from './own-place.mjs'

/**
 * Runs the tests of some paths (of all, if none is given) in this process, or those of them with a name that
 * matches. All of these count as failures: a test, a file that does not load, an error that was not caught, a run without
 * any test, a process or a file that is left behind.
 * @param {readonly string[]} paths
 * @param {string | undefined} name
 * @param {{ places: string[], leftBehind: () => string[] }} [ownPlace] that was taken for them, if that was done before
 * @returns {Promise<{ passed: number, failed: string[], skipped: string[], leftOut: number, seconds: Map<string, number> }>}
 */
export async function runTests(paths, name, ownPlace = takeOwnPlace()) {
  const forget = onInterrupt(endDescendants)
  const leftRunning = markStarted(...ownPlace.places)
  const leftGroups = watchGroups((pids) => isStartedHere(pids, ownPlace.places))
  const named = name === undefined ? [] : ['-t', name]
  const { filter, options } = parseCLI(['vitest', 'run', ...named, ...paths])
  const vitest = await startVitest('test', filter, { ...options, root, watch: false, run: true })
  let passed = 0
  let leftOut = 0
  const failed = vitest.state
    .getUnhandledErrors()
    .map((error) => `an error that was not caught: ${firstLine(error)}`)
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
      const title = `${module.relativeModuleId}: ${test.fullName}`
      const result = test.result()
      if (result.state === 'passed') passed += 1
      else if (result.state !== 'skipped') failed.push(title)
      else if (isMeant(test.fullName, name))
        skipped.push(`${title}: ${result.note ?? 'marked so in the test'}`)
      else leftOut += 1
    }
  }
  if (leftOut > 0 && passed + failed.length === 0) failed.push(`no test has a name with "${name}"`)
  const seconds = new Map(modules.map((one) => [one.relativeModuleId, one.diagnostic().duration / 1000]))
  await vitest.close()
  for (const command of await leftRunning())
    failed.push(`a test left something running: ${command.slice(0, 200)}`)
  for (const name of await leftGroups()) failed.push(`a test left a control group that is in use: ${name}`)
  for (const name of ownPlace.leftBehind())
    failed.push(`a test left something in the folder for temporary files: ${name}`)
  forget()
  process.exitCode = 0
  return { passed, failed, skipped, leftOut, seconds }
}

// Vitest marks tests that the name filter leaves out like tests that are skipped by themselves.
const isMeant = (/** @type {string} */ fullName, /** @type {string | undefined} */ name) =>
  name === undefined || new RegExp(name).test(fullName.replaceAll(' > ', ' '))

/** @param {unknown} error */
const firstLine = (error) => {
  const message = error !== null && typeof error === 'object' && 'message' in error ? error.message : error
  return String(message).split('\n')[0]
}
