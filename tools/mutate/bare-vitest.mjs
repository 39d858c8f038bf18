import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'
import fc from 'fast-check'

// As much of vitest as our tests of pure things need, so that a thousand runs of them take minutes and not hours.

// What is left to chance is the same each time, so that a lie is not noticed today and missed tomorrow.
fc.configureGlobal({ seed: 1 })

chai.use(JestExtend)
chai.use(JestChaiExpect)
chai.use(JestAsymmetricMatchers)

/** @type {{ name: string; test: () => unknown }[]} */
const tests = []

/** @param {string} name @param {() => unknown} test */
const one = (name, test) => tests.push({ name, test })
/** @param {readonly unknown[]} cases */
const each =
  (cases) => (/** @type {string} */ name, /** @type {(...values: unknown[]) => unknown} */ test) => {
    for (const values of cases) one(name, () => (Array.isArray(values) ? test(...values) : test(values)))
  }
export const it = Object.assign(one, { each })
/** @param {string} _name @param {() => void} group */
export const describe = (_name, group) => group()
export const expect = Object.assign(
  (/** @type {unknown} */ value, /** @type {string | undefined} */ message) => chai.expect(value, message),
  { fail: (/** @type {string} */ message) => chai.assert.fail(message) },
)
/** @param {string} name */
export const inject = (name) => (name === 'seed' ? 1 : false)

/** Runs what was told to `it`, until something fails. */
export async function run() {
  for (const { test } of tests) await test()
}
