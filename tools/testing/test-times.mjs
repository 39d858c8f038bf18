import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../prepare.mjs'

/** Test files that take less than this are not stored: their order does not matter. */
const leastSeconds = 3

/**
 * The stored times: of slow test files only, in whole seconds, the slowest first.
 * @param {ReadonlyMap<string, number>} seconds by the path of the file in the repository
 * @returns {Record<string, number>}
 */
export function slowOnes(seconds) {
  const slow = [...seconds].filter(([, one]) => one >= leastSeconds)
  const rounded = slow.map(([file, one]) => /** @type {const} */ ([file, Math.round(one)]))
  return Object.fromEntries(rounded.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))
}

/** @param {ReadonlyMap<string, number>} seconds */
export const noteTimes = (seconds) =>
  writeFileSync(
    path.join(root, 'tools/testing/test-times.json'),
    `${JSON.stringify(slowOnes(seconds), null, 2)}\n`,
  )
