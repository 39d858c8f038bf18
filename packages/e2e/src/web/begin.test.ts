import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readLog } from '@farhand/client/follow/read-log'
import { putSecret } from '@farhand/client/resources/secrets'
import { RunId } from '@farhand/protocol/wire/ids'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitRemote, gitRemote } from '../egress/git-remote.ts'
import { type Device, hasBrowser } from './browsers.ts'
import { patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

const run = promisify(execFile)
const [user, word] = ['robot', 'hunter2-hunter2']

describe.skipIf(!hasBrowser)('a run that begins from a repository', () => {
  let stage: WebStage
  let remote: GitRemote
  let url: string
  let first: string
  const git = (...args: string[]) =>
    run('git', ['-C', first, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args])
  const commit = async (message: string) => {
    await git('commit', '--quiet', '--allow-empty', '-m', message)
    await git('push', '--quiet', url.replace('//', `//${user}:${word}@`), 'HEAD:main')
  }
  beforeAll(async () => {
    stage = await WebStage.set()
    remote = await gitRemote(join(stage.home, 'remote'), { name: user, word })
    url = `http://127.0.0.1:${remote.port}/team/app.git`
    first = join(stage.home, 'first')
    await run('git', ['init', '--quiet', '--initial-branch=main', first])
    await commit('first')
    const { project } = await stage.emptyRun('Before')
    const from = `http://127.0.0.1:${remote.port}/team/`
    await putSecret(stage.hub, project, 'GIT_TEAM', {
      kind: 'git',
      value: word,
      username: user,
      remote: from,
    })
  })
  afterAll(async () => {
    await remote.close()
    await stage.close()
  })

  const form = (page: Page) => ({
    address: page.getByRole('textbox', { name: 'Address of the repository' }),
    ref: page.getByRole('textbox', { name: 'Branch, tag or commit' }),
    start: page.getByRole('button', { name: 'Start', exact: true }),
  })
  const fill = async (page: Page, prompt: string, ref: string) => {
    await page.goto('/new')
    await page.getByRole('textbox', { name: 'What is to be done' }).fill(prompt)
    await page.getByText('A repository', { exact: true }).click()
    await form(page).ref.fill(ref)
  }
  const runOf = (page: Page) => RunId.parse(new URL(page.url()).pathname.split('/')[2])
  const isRun = (address: URL) => address.pathname.startsWith('/runs/')

  it.each<Device>(['desktop', 'phone'])(
    'says on a %s at its field that the address is wrong, once, and begins when it is corrected there',
    async (device) => {
      const visit = await stage.browsers.visitor(device)
      const { page } = visit
      await fill(page, 'say roses', 'mian')
      const { address, ref, start } = form(page)
      await address.fill(url.replace('app', 'ap'))
      await start.click()
      const wrong = `There is no repository at ${url.replace('app', 'ap')}.`
      await page.getByText(wrong).waitFor()
      expect(await page.getByText(wrong).count()).toBe(1)
      await expect.poll(() => address.getAttribute('aria-invalid'), patient).toBe('true')
      await expect
        .poll(() => address.evaluate((field) => document.activeElement === field), patient)
        .toBe(true)
      await address.fill(url)
      expect(await page.getByText(wrong).count()).toBe(0)
      await start.click()
      await page.getByText(`There is no branch or tag called mian in ${url}.`).waitFor()
      await ref.fill('main')
      await start.click()
      await page.waitForURL(isRun)
      await page.getByText('roses', { exact: true }).waitFor()
      expect(await page.getByText('The run has failed').count()).toBe(0)
      expect(visit.wrongs).toEqual([])
      await visit.close()
    },
  )

  it('says why it has failed, once and without addresses of the sandbox, and gets the same message after Retry, or another one', async () => {
    const visit = await stage.browsers.visitor()
    const { page } = visit
    // Not listed, so neither page nor hub knows before it is tried.
    await fill(page, 'say tulips', 'main~1')
    await form(page).address.fill(url)
    await form(page).start.click()
    await page.waitForURL(isRun)
    const failure = page.getByRole('region', { name: 'The run has failed' })
    await failure.waitFor()
    await expect.poll(() => page.getByText('main~1').count(), patient).toBe(1)
    expect(await page.getByRole('log').textContent()).not.toMatch(/127\.0\.0\.1:(?!\d+\/team)|\/git\/http/)
    await failure.getByRole('button', { name: 'What led to it' }).click()
    await failure.getByText('could not be cloned').first().waitFor()
    await failure.getByRole('button', { name: 'What led to it' }).click()

    await failure.getByRole('button', { name: 'Edit and resend' }).click()
    const field = page.getByRole('textbox', { name: 'Message' })
    await expect.poll(() => field.inputValue(), patient).toBe('say tulips')
    await field.fill('say crocuses')
    await page.keyboard.press('Enter')
    // It fails once more, for the same reason: of two failures only the last one can be tried again.
    await expect.poll(() => failure.count(), patient).toBe(2)
    const retry = page.getByRole('button', { name: 'Retry' })
    await expect.poll(() => retry.count(), patient).toBe(1)
    await commit('second')
    await retry.click()
    await page.getByText('crocuses', { exact: true }).waitFor()
    await expect.poll(() => retry.count(), patient).toBe(0)
    const at = await stage.addressOf(runOf(page))
    const said: unknown[] = []
    for await (const { notification } of readLog(stage.hub, at))
      if (notification.method === '_posthog/user_message') said.push(notification.params?.content)
    expect(said).toEqual(['say tulips', 'say crocuses'])
    expect(visit.wrongs).toEqual([])
    await visit.close()
  })
})
