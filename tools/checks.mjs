import process from 'node:process'
import { runningLine, secondsSince } from './processes/progress.mjs'
import { runTool } from './processes/run-tool.mjs'

/** @typedef {{ name: string, file: string, args: readonly string[], fix?: readonly string[] }} Check */

// Biome prints colors even where NO_COLOR is set.
const plain = process.stdout.isTTY ? [] : ['--colors=off']

/** What must hold of the sources before any of them is run. @type {readonly Check[]} */
export const sourceChecks = [
  {
    name: 'format and lint',
    file: '@biomejs/biome/bin/biome',
    args: ['ci', '--error-on-warnings', ...plain],
    fix: ['check', '--write', '--error-on-warnings', ...plain],
  },
  { name: 'types', file: 'typescript/bin/tsc', args: ['-p', '.'] },
  { name: 'dead code', file: 'knip/bin/knip.js', args: ['--no-progress'] },
]

/** The table of who may import whom; part of the tests too, and named here for those who want no more. @type {Check} */
export const houseRules = {
  name: 'house rules',
  file: 'vitest/vitest.mjs',
  args: ['run', '--project', 'alone', '--reporter', 'dot', 'tools/house'],
}

/**
 * Runs the checks in parallel, shows which are running, and prints a line for each, with the output of the tool if it found
 * something.
 * @param {readonly Check[]} checks
 * @param {{ fix?: boolean }} [options]
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runChecks(checks, { fix = false } = {}) {
  const line = runningLine(checks.map((check) => check.name))
  const results = await Promise.all(
    checks.map(async (check) => {
      const began = Date.now()
      const { code, output } = await runTool(check.file, (fix && check.fix) || check.args)
      const mark = `${code === 0 ? '✓' : '✗'} ${check.name.padEnd(16)} ${secondsSince(began)}\n`
      line.done(check.name, code === 0 ? mark : `${mark}${output.trimEnd()}\n\n`)
      return code === 0
    }),
  )
  const passed = results.filter(Boolean).length
  return { passed, failed: results.length - passed }
}
