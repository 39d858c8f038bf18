import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { post } from '@farhand/client/post/post'
import { beginRunner } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { unzipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { patient, type Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

const letters = (nth: number) => Array.from({ length: nth }, (_, n) => `line ${n + 1}`).join('\\n')
/** Pictures of 3 × 2 and of 5 × 4. */
const [small, large] = [
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mPQjjkOQQxwFgBKtAfVtLZDRAAAAABJRU5ErkJggg==',
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAECAIAAADJUWIXAAAAEUlEQVR42mPYrCaHjBhI5AMAdYITTcDtn6cAAAAASUVORK5CYII=',
] as const

describe.skipIf(!hasBrowser)('the files of a run, in a browser', () => {
  let stage: WebStage
  let at: RunAddress
  let desk: Visit
  let phone: Visit
  beforeAll(async () => {
    stage = await WebStage.set()
    at = await stage.run('Files')
    await draw(small)
    await stage.turn(at, `write src/notes.md with "${letters(12)}\\n"\nwrite gone.txt with "bye\\n"`)
    await draw(large)
    await stage.turn(
      at,
      `write src/notes.md with "${letters(11)}\\nline twelve\\n"\nwrite new.ts with "const a = 1\\n"`,
    )
    desk = await stage.browsers.visitor('desktop')
    phone = await stage.browsers.visitor('phone')
    await desk.page.goto(`/runs/${at.run}/files`)
  })
  afterAll(async () => {
    await Promise.all([desk?.close(), phone?.close()])
    await stage?.close()
  })

  const onDisk = (name: string) => {
    const file = join(stage.workspaceOf(at), name)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }
  /** Puts a picture where the agent works, as any program there might. */
  const draw = async (picture: string) => {
    const bytes = Buffer.from(picture, 'base64')
    writeFileSync(join(stage.workspaceOf(at), 'logo.png'), bytes)
    await stage.until(at, 0, ({ notification: { params } }) =>
      ((params?.files as object[] | undefined) ?? [params ?? {}]).some(
        (file) => 'path' in file && file.path === 'logo.png' && 'size' in file && file.size === bytes.length,
      ),
    )
  }
  const since = async (page: Page, name: RegExp) => {
    await page.getByRole('button', { name: /^Compare with/ }).click()
    await page.getByRole('menuitemradio', { name }).click()
  }
  const tree = (page: Page) => page.getByRole('navigation', { name: 'Files that changed' })
  const choose = (page: Page, name: RegExp) => tree(page).getByRole('button', { name }).click()
  const saved = async (page: Page, what: RegExp) => {
    await page.getByRole('button', { name: 'Save the files' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: what }).click()
    return await (await download).path()
  }
  /** Puts the older of two versions back, and takes that back. */
  const putBackAndUndo = async (page: Page) => {
    await page.getByRole('button', { name: 'Restore' }).last().click()
    await vi.waitFor(() => expect(onDisk('src/notes.md')).toMatch(/line 12\n$/), patient)
    // What was done before it has an Undo of its own, which may still be there.
    const done = page.getByRole('status').locator('div', { hasText: 'src/notes.md is restored.' })
    await done.getByRole('button', { name: 'Undo' }).click()
    await vi.waitFor(() => expect(onDisk('src/notes.md')).toMatch(/line twelve\n$/), patient)
  }
  const comment = async (page: Page, line: number, text: string) => {
    await page
      .getByRole('button', { name: `Comment on line ${line}`, exact: true })
      .last()
      .click()
    await page.getByRole('textbox', { name: `Comment on line ${line}` }).fill(text)
    await page.getByRole('button', { name: 'Add comment' }).click()
  }
  const heard = async (words: string) => {
    const { notification } = await stage.until(
      at,
      0,
      ({ notification: { params } }) => typeof params?.content === 'string' && params.content.includes(words),
    )
    return notification.params?.content
  }
  const sizesOf = (page: Page) =>
    page
      .getByRole('img', { name: /^logo\.png/ })
      .evaluateAll((all) =>
        all.map((one) => `${one.getAttribute('alt')} ${(one as HTMLImageElement).naturalWidth}`),
      )

  it('are those that changed, since the beginning or since any message', async () => {
    const { page } = desk
    await tree(page).getByRole('button', { name: 'gone.txt' }).waitFor()
    await since(page, /Before message 2/)
    await tree(page).getByRole('button', { name: 'gone.txt' }).waitFor({ state: 'detached' })
    await choose(page, /notes\.md.*changed/)
    await page.getByText('line twelve').waitFor()
    expect(await page.locator('mark').allTextContents()).toEqual(['12', 'twelve'])
    const left = async (word: string) => (await page.locator('mark', { hasText: word }).boundingBox())!.x
    expect(Math.abs((await left('twelve')) - (await left('12')))).toBeLessThan(2)
    await page.getByRole('button', { name: 'Split' }).click()
    await expect.poll(async () => (await left('twelve')) - (await left('12')), patient).toBeGreaterThan(200)
    await page.getByRole('button', { name: 'Hide the list of files' }).click()
    await tree(page).waitFor({ state: 'hidden' })
    expect((await left('twelve')) - (await left('12'))).toBeGreaterThan(400)
    expect(await seriousViolations(page)).toEqual([])
    await page.keyboard.press('b')
    await tree(page).waitFor()
    const find = page.getByRole('searchbox', { name: 'Find a file' })
    await find.fill('gone')
    await page.getByText('No changed file matches.').waitFor()
    await page.getByRole('button', { name: 'Show all files' }).click()
    await page.getByRole('button', { name: /^gone\.txt/ }).waitFor()
    await page.getByRole('button', { name: /^Changed/ }).click()
    await find.fill('')
  })

  it('have the colours of code, and images are shown as images', async () => {
    const { page } = desk
    await choose(page, /new\.ts/)
    const word = page.locator('span', { hasText: /^const$/ })
    await word.waitFor()
    const colours = await word.evaluate((one) =>
      [one, one.parentElement!].map((it) => getComputedStyle(it).color),
    )
    expect(colours[0]).not.toBe(colours[1])
    await since(page, /The beginning/)
    await choose(page, /logo\.png.*changed/)
    await expect.poll(() => sizesOf(page), patient).toEqual(['logo.png, before 3', 'logo.png, now 5'])
  })

  it('are saved as a patch that git applies', async () => {
    const { page } = desk
    await since(page, /Before message 2/)
    const patch = await saved(page, /as a patch/)
    const before = join(stage.home, 'before')
    mkdirSync(join(before, 'src'), { recursive: true })
    writeFileSync(join(before, 'src/notes.md'), `${letters(12).replaceAll('\\n', '\n')}\n`)
    execFileSync('git', ['apply', patch], { cwd: before })
    expect(readFileSync(join(before, 'src/notes.md'), 'utf8')).toBe(onDisk('src/notes.md'))
    expect(readFileSync(join(before, 'new.ts'), 'utf8')).toBe('const a = 1\n')
  })

  it('that were renamed are listed once, by both names, and are so in the patch', async () => {
    const { page } = desk
    const workspace = stage.workspaceOf(at)
    renameSync(join(workspace, 'logo.png'), join(workspace, 'src/mark.png'))
    renameSync(join(workspace, 'gone.txt'), join(workspace, 'src/went.txt'))
    await since(page, /Before message 2/)
    const moved = tree(page).getByRole('button', { name: /went\.txt.*renamed from gone\.txt/ })
    await moved.waitFor()
    await expect
      .poll(
        () =>
          tree(page)
            .getByRole('button', { name: /deleted$/ })
            .count(),
        patient,
      )
      .toBe(0)
    await tree(page)
      .getByRole('button', { name: /mark\.png.*renamed from logo\.png/ })
      .waitFor()
    await moved.click()
    await page.getByText('Renamed from gone.txt, with the same contents.').waitFor()
    await page.getByText('bye', { exact: true }).first().waitFor()
    const patch = await saved(page, /as a patch/)
    const text = readFileSync(patch, 'utf8')
    expect(text).toContain('similarity index 100%\nrename from gone.txt\nrename to src/went.txt')
    // What is no text needs no contents for that.
    expect(text).toContain('rename from logo.png\nrename to src/mark.png')
    const before = join(stage.home, 'before-renames')
    mkdirSync(join(before, 'src'), { recursive: true })
    writeFileSync(join(before, 'src/notes.md'), `${letters(12).replaceAll('\\n', '\n')}\n`)
    writeFileSync(join(before, 'gone.txt'), 'bye\n')
    writeFileSync(join(before, 'logo.png'), Buffer.from(large, 'base64'))
    execFileSync('git', ['apply', patch], { cwd: before })
    expect(readFileSync(join(before, 'src/went.txt'), 'utf8')).toBe('bye\n')
    expect(existsSync(join(before, 'logo.png'))).toBe(false)
    // Put back, both by one choice, for what comes below.
    for (const [name, was] of [
      ['src/went.txt', 'gone.txt'],
      ['src/mark.png', 'logo.png'],
    ] as const) {
      await tree(page)
        .getByRole('button', { name: `renamed from ${was}` })
        .click()
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: `Rename it back to ${was}` }).click()
      await vi.waitFor(
        () =>
          expect([existsSync(join(workspace, was)), existsSync(join(workspace, name))]).toEqual([
            true,
            false,
          ]),
        patient,
      )
    }
    await tree(page).getByRole('button', { name: 'went.txt' }).waitFor({ state: 'detached' })
  })

  it('are shown in any version, restored for the agent, and that is undone', async () => {
    const { page } = desk
    await choose(page, /notes\.md/)
    await page.getByRole('button', { name: '2 versions' }).click()
    await page
      .getByRole('button', { name: /^Written by/ })
      .last()
      .click()
    await page.getByText('line 12').waitFor()
    expect(await page.getByText('line twelve').count()).toBe(0)
    await putBackAndUndo(page)
    await page.getByRole('button', { name: '4 versions' }).waitFor()
  })

  it('are commented on line by line, and the agent hears of it in one message', async () => {
    const { page } = desk
    await page.getByRole('button', { name: 'Changes', exact: true }).click()
    await comment(page, 12, 'Not in words, please.')
    await page.getByRole('button', { name: 'Comment on line 11', exact: true }).last().click()
    await page.getByRole('textbox', { name: 'Comment on line 11' }).fill('This one is fine.')
    await page.keyboard.press('Control+Enter')
    // The focus is back at the lines, and the user did not come there by Tab.
    const lines = page.getByRole('region', { name: 'Lines of src/notes.md' })
    const frame = () =>
      lines.evaluate((one) => [document.activeElement === one, getComputedStyle(one).outlineStyle])
    await expect.poll(frame, patient).toEqual([true, 'none'])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    expect(await frame()).toEqual([true, 'solid'])
    await page.reload()
    await page.getByRole('button', { name: 'Send to the agent' }).click()
    // What is told of it lies over no name and no beginning of a line, and leads to where the message is.
    const open = page.getByRole('button', { name: 'Open', exact: true })
    const place = await open.boundingBox()
    expect(place!.y).toBeGreaterThan(page.viewportSize()!.height / 2)
    expect(place!.x).toBeGreaterThan(page.viewportSize()!.width / 2)
    await open.click()
    await page.getByRole('log').locator('pre', { hasText: 'line twelve' }).last().waitFor()
    expect(await page.getByRole('log').getByText('```').count()).toBe(0)
    expect(await heard('please')).toBe(
      'src/notes.md:11\n```\nline 11\n```\nThis one is fine.\n\nsrc/notes.md:12\n```\nline twelve\n```\nNot in words, please.',
    )
    await page.goBack()
    expect(desk.wrongs).toEqual([])
  })

  it('keep a comment on a line, and its place, while the agent writes into them', async () => {
    const { page } = desk
    await choose(page, /new\.ts/)
    await page.getByRole('button', { name: 'Comment on line 1', exact: true }).click()
    await page.getByRole('textbox', { name: 'Comment on line 1' }).fill('Why')
    writeFileSync(join(stage.workspaceOf(at), 'new.ts'), 'const b = 2\nconst a = 1\n')
    await page.getByRole('textbox', { name: 'Comment on line 2' }).pressSequentially(' so?')
    await page.getByRole('button', { name: 'Add comment' }).click()
    await page.getByRole('button', { name: 'Send to the agent' }).click()
    expect(await heard('Why')).toBe('new.ts:2\n```\nconst a = 1\n```\nWhy so?')
  })

  it('can be used in the same way on a phone, one at a time', async () => {
    const { page } = phone
    await page.goto(`/runs/${at.run}/files`)
    await since(page, /Before message 2/)
    await choose(page, /notes\.md/)
    await page.getByText('line twelve').waitFor()
    expect(await tree(page).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Split' }).count()).toBe(0)
    await comment(page, 12, 'From the train.')
    await page.getByRole('button', { name: 'Send to the agent' }).click()
    expect(await heard('train')).toBe('src/notes.md:12\n```\nline twelve\n```\nFrom the train.')
    await page.getByRole('button', { name: '4 versions' }).click()
    await putBackAndUndo(page)
    // What is told of it does not lie over the way back.
    await phone.isTold('Undone: src/notes.md is restored.')
    const back = page.getByRole('button', { name: 'Back to the files' })
    const isFree = await back.evaluate((one) => {
      const { x, y, width, height } = one.getBoundingClientRect()
      return one.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })
    expect(isFree).toBe(true)
    await back.click()

    const all = unzipSync(readFileSync(await saved(page, /All files as a zip/)))
    expect(Object.keys(all).sort()).toEqual(['gone.txt', 'logo.png', 'new.ts', 'src/notes.md'])
    expect(Buffer.from(all['logo.png']!).toString('base64')).toBe(large)
    expect(Buffer.from(all['src/notes.md']!).toString()).toBe(onDisk('src/notes.md'))
    await since(page, /The beginning/)
    await choose(page, /logo\.png/)
    await expect.poll(() => sizesOf(page), patient).toEqual(['logo.png, before 3', 'logo.png, now 5'])
    expect(phone.wrongs).toEqual([])
  })

  it('are compared with a checkpoint, too', async () => {
    const { page } = desk
    // The next runner takes over: this one tells of a checkpoint without taking a minute for it.
    const { token } = await beginRunner(stage.hub, at)
    const tell = (method: string, params: Record<string, unknown>) =>
      post({ ...stage.hub, token }, at, { jsonrpc: '2.0', method, params })
    await tell('_posthog/git_commit', { sha: 'a'.repeat(40), kind: 'checkpoint', number: 7 })
    await tell('_posthog/file_change', { path: 'gone.txt', action: 'deleted' })
    await since(page, /Checkpoint 7/)
    await tree(page)
      .getByRole('button', { name: /new\.ts/ })
      .waitFor({ state: 'detached' })
    await choose(page, /gone\.txt.*deleted/)
    await page.getByText('bye').waitFor()
    expect(desk.wrongs).toEqual([])
  })
})
