import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Accessibility problems that keep a user from using the page: each with the rule and the first place. */
export const seriousViolations = (page: Page): Promise<string[]> => violations(page, {})

/** What of the page cannot be told from its ground; all else does not depend on colours. */
export const faintWords = (page: Page): Promise<string[]> =>
  violations(page, { runOnly: ['color-contrast', 'link-in-text-block'] })

async function violations(page: Page, options: RunOptions): Promise<string[]> {
  // By the debugger: the page's own policy lets no such script in, and is not to be weakened for it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const found = await page.evaluate((options) => {
    type Axe = { run(options: RunOptions): Promise<AxeResults> }
    return (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'], ...options })
  }, options)
  return found.violations
    .filter(({ impact }) => impact !== 'minor')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)} (${nodes.length})`)
}
