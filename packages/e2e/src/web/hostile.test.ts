import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renameRun } from '@farhand/client/desk'
import { post } from '@farhand/client/post'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { WebStage } from './web-stage.ts'

const hostile = fileURLToPath(new URL('hostile-agent.mjs', import.meta.url))
const bad = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>'

describe.skipIf(!hasBrowser)('an agent that means harm', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  it('has nothing run in the page, and nothing asked for elsewhere, whatever it fills', async () => {
    const at = await stage.emptyRun(bad)
    const state = stage.stateOf(at)
    mkdirSync(state)
    const entry = { id: 'rehearsal', name: bad, command: process.execPath, args: [hostile] }
    writeFileSync(join(state, 'agents.json'), JSON.stringify([entry]))
    await stage.host(at)
    await renameRun(stage.hub, at.run, bad)
    const params = { content: bad, attachments: [{ name: bad, mimeType: 'text/html', hash: '0'.repeat(64) }] }
    // Attachments that nobody has are refused, and so is this: what matters is what a page makes of a name.
    await post(stage.hub, at, { jsonrpc: '2.0', method: '_posthog/user_message', params }).catch(() => {})
    const said = await stage.say(at, bad)
    const asks = await stage.until(at, said, ({ notification }) =>
      /permission|question/.test(notification.method),
    )

    const { page, wrongs } = await stage.browsers.visitor()
    await page.goto(`/runs/${at.run}`)
    await page.getByRole('group', { name: 'Your answer' }).first().waitFor()
    for (const closed of await page.locator('button[aria-expanded="false"]').all())
      await closed.click({ timeout: 2_000 }).catch(() => {})
    expect(await page.locator('iframe, script:not([src]), img[src^="http"], a[href^="java"]').count()).toBe(0)
    expect(await seriousViolations(page)).toEqual([])

    await page.getByRole('group', { name: 'Your answer' }).getByRole('button').first().click()
    await stage.until(at, asks.id, ({ notification }) => notification.method === '_posthog/turn_complete')
    for (const name of ['<img src=x onerror=window.__xss=1>.md', 'page.html', 'picture.svg']) {
      await page.goto(`/runs/${at.run}/files#file=${encodeURIComponent(name)}`)
      await page.getByText(name).filter({ visible: true }).first().waitFor()
    }
    await page.goto('/')
    await page.getByText(bad).first().waitFor()
    expect(await page.evaluate(() => '__xss' in globalThis)).toBe(false)
    expect(wrongs).toEqual([])
  })
})
