import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunAddress } from '@farhand/protocol/routes'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import type { Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

const letters = (nth: number) => Array.from({ length: nth }, (_, n) => `line ${n + 1}`).join('\\n')

describe.skipIf(!hasBrowser)('the files of a run, in a browser', () => {
  let stage: WebStage
  let at: RunAddress
  let visit: Visit
  let page: Page
  beforeAll(async () => {
    stage = await WebStage.set()
    at = await stage.run('Files')
    await stage.turn(at, `write src/notes.md with "${letters(12)}\\n"\nwrite gone.txt with "bye\\n"`)
    await stage.turn(
      at,
      `write src/notes.md with "${letters(11)}\\nline twelve\\n"\nwrite new.txt with "new\\n"`,
    )
    visit = await stage.browsers.visitor('desktop')
    page = visit.page
    await page.goto(`/runs/${at.run}/files`)
  })
  afterAll(async () => {
    await visit?.close()
    await stage?.close()
  })

  const onDisk = (name: string) => {
    const file = join(stage.workspaceOf(at), name)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }
  const since = async (name: RegExp) => {
    await page.getByRole('button', { name: /^Compare with/ }).click()
    await page.getByRole('menuitemradio', { name }).click()
  }

  it('are those that changed, since the beginning or since any message', async () => {
    const tree = page.getByRole('navigation', { name: 'Files that changed' })
    await tree.getByRole('button', { name: 'gone.txt' }).waitFor()
    await since(/Before message 2/)
    await tree.getByRole('button', { name: 'gone.txt' }).waitFor({ state: 'detached' })
    await tree.getByRole('button', { name: /notes\.md.*changed/ }).click()
    await page.getByText('line twelve').waitFor()
    expect(await page.locator('mark').allTextContents()).toEqual(['12', 'twelve'])
    await page.getByRole('button', { name: 'Split' }).click()
    expect(await seriousViolations(page)).toEqual([])
  })

  it('are saved as a patch that git applies', async () => {
    await page.getByRole('button', { name: 'Save the files' }).click()
    const patch = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /as a patch/ }).click()
    const before = join(stage.home, 'before')
    mkdirSync(join(before, 'src'), { recursive: true })
    writeFileSync(join(before, 'src/notes.md'), `${letters(12).replaceAll('\\n', '\n')}\n`)
    execFileSync('git', ['apply', await (await patch).path()], { cwd: before })
    expect(readFileSync(join(before, 'src/notes.md'), 'utf8')).toBe(onDisk('src/notes.md'))
    expect(readFileSync(join(before, 'new.txt'), 'utf8')).toBe('new\n')
  })

  it('are put back as they were where the agent works, and that is undone', async () => {
    await page.getByRole('button', { name: '2 versions' }).click()
    await page.getByRole('button', { name: 'Put back' }).click()
    await vi.waitFor(() => expect(onDisk('src/notes.md')).toMatch(/line 12\n$/), { timeout: 15_000 })
    await page.getByRole('button', { name: 'Undo' }).click()
    await vi.waitFor(() => expect(onDisk('src/notes.md')).toMatch(/line twelve\n$/), { timeout: 15_000 })
    await page.getByRole('button', { name: '4 versions' }).waitFor()
  })

  it('are commented on line by line, and the agent hears of it in one message', async () => {
    await page.getByRole('button', { name: 'Changes', exact: true }).click()
    for (const [line, text] of [
      [12, 'Not in words, please.'],
      [11, 'This one is fine.'],
    ] as const) {
      await page
        .getByRole('button', { name: `Comment on line ${line}`, exact: true })
        .last()
        .click()
      await page.getByRole('textbox', { name: `Comment on line ${line}` }).fill(text)
      await page.getByRole('button', { name: 'Add comment' }).click()
    }
    await page.reload()
    await page.getByRole('button', { name: 'Send to the agent' }).click()
    const { notification } = await stage.until(
      at,
      0,
      ({ notification: { params } }) =>
        typeof params?.content === 'string' && params.content.includes('please'),
    )
    expect(notification.params?.content).toBe(
      'src/notes.md:11\n```\nline 11\n```\nThis one is fine.\n\nsrc/notes.md:12\n```\nline twelve\n```\nNot in words, please.',
    )
    expect(visit.wrongs).toEqual([])
  })
})
