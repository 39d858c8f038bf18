import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import { beginRunner } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { LinkProcess } from '@farhand/testkit/link-process'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Device, hasBrowser } from './browsers.ts'
import { patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

const isSkip = ({ notification: { params } }: SeenEvent) => params?.skipped !== undefined

describe.skipIf(!hasBrowser)('an event beside the conversation', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  const opened = async (at: RunAddress, device: Device) => {
    const visit = await stage.browsers.visitor(device)
    await visit.page.goto(`/runs/${at.run}`)
    await visit.page.getByRole('log').waitFor()
    return visit
  }
  /** A run of which the test itself is the runner. */
  const told = async (title: string) => {
    const at = await stage.emptyRun(title)
    const { token } = await beginRunner(stage.hub, at)
    const say = (method: string, params: Record<string, unknown>) =>
      post({ ...stage.hub, token }, at, { jsonrpc: '2.0', method, params })
    return { at, say }
  }
  const openCard = async (page: Page, title: string) => {
    const card = page.getByRole('article', { name: title })
    await card.getByRole('button', { expanded: false }).first().click()
    return card
  }

  it.each<Device>(['desktop', 'phone'])(
    'is seen on a %s: output, console lines, artifacts, files, words from elsewhere',
    async (device) => {
      const { at, say } = await told('Told')
      await say('_posthog/console', { level: 'info', message: 'digging up the bed' })
      await say('_posthog/console', { level: 'error', message: 'the spade is broken' })
      await say('_posthog/sandbox_output', { stdout: 'two tulips\n' })
      await say('_posthog/sandbox_output', { stderr: 'no roses\n', exitCode: 3 })
      await say('_posthog/artifact', { kind: 'plan', name: 'beds.md', content: '1. water' })
      await say('_posthog/file_content', { path: 'notes.txt', content: 'red and blue' })
      await say('_posthog/file_content', { path: 'gone.txt', missing: true })
      await say('user_message_chunk', { text: 'Said at another ' })
      await say('user_message_chunk', { text: 'place.' })
      const visit = await opened(at, device)
      const { page } = visit
      // Until the list is there, the run is called by these words, too.
      await page.getByRole('log').getByText('Said at another place.', { exact: true }).waitFor()
      await page.getByText('the spade is broken').waitFor()
      await (await openCard(page, 'Console')).getByText('digging up the bed').waitFor()
      const output = page.getByRole('article', { name: 'Output of the sandbox' })
      await output.getByText('exit 3').waitFor()
      const fold = output.getByRole('button', { expanded: false })
      if ((await fold.count()) > 0) await fold.first().click()
      await output.getByText(/two tulips\s+no roses/).waitFor()
      await (await openCard(page, 'Artifact: beds.md')).getByText('1. water').waitFor()
      await (await openCard(page, 'Content of notes.txt')).getByText('red and blue').waitFor()
      const gone = page.getByRole('article', { name: 'Content of gone.txt' })
      const more = gone.getByRole('button', { expanded: false })
      if ((await more.count()) > 0) await more.first().click()
      await gone.getByText('There is no such file.').waitFor()
      expect(visit.wrongs).toEqual([])
      await visit.close()
    },
  )

  it.each<Device>(['desktop', 'phone'])(
    'W65 says on a %s which choice was taken if a run in the background does not wait for the user',
    async (device) => {
      const at = await stage.run('Background')
      const params = { mode: 'background' }
      await post(stage.hub, at, { jsonrpc: '2.0', method: '_posthog/mode_change', params })
      await stage.turn(at, 'ask permission to write asked.txt with "yes"')
      await stage.turn(at, 'ask "Which colour?" with options red, blue')
      const why: unknown[] = []
      for await (const { notification } of readLog(stage.hub, at))
        if (notification.method === '_posthog/question_closed') why.push(notification.params)
      expect(why).toMatchObject([{ by: 'policy:background' }, { by: 'policy:background' }])
      const visit = await opened(at, device)
      const { page } = visit
      // All of the run at once: what is out of sight is not on a page.
      await page.setViewportSize({ width: page.viewportSize()!.width, height: 2000 })
      await page.getByText('In the background from here on').waitFor()
      for (const said of why.map((one) => String((one as { why: string }).why)))
        await page.getByText(said).first().waitFor()
      await page.getByText('In the background from here on').waitFor()
      await expect.poll(() => page.getByRole('group', { name: 'Your answer' }).count(), patient).toBe(0)
      expect(visit.wrongs).toEqual([])
      await visit.close()
    },
  )

  it.each<Device>(['desktop', 'phone'])(
    'says on a %s which files of a linked folder are not synced, and why, once',
    async (device) => {
      const at = await stage.emptyRun('Skipped')
      const folder = join(stage.home, `linked-${device}`)
      await mkdir(folder)
      writeFileSync(join(folder, 'small.txt'), 'fits')
      writeFileSync(join(folder, 'large.bin'), Buffer.alloc(3000))
      writeFileSync(join(folder, 'c:drive.txt'), 'no name for Windows')
      const link = new LinkProcess({
        folder,
        state: join(stage.home, `state-link-${device}`),
        run: at.run,
        hub: { url: stage.hub.url, token: stage.process.token },
        wins: 'disk',
        settings: ['--max-file', '2kb'],
      })
      onTestFinished(async () => void (await link.kill()))
      await link.spawn()
      const first = await stage.until(at, 0, isSkip)
      await stage.until(at, first.id, isSkip)
      const visit = await opened(at, device)
      const { page } = visit
      await page.getByText(/large\.bin: it has 2\.9 KiB, and the limit is less/).waitFor()
      await page.getByText(/c:drive\.txt: other systems do not allow this name/).waitFor()
      // Linked again, it says nothing that was said before: what is new comes last, and is seen.
      await link.kill()
      await link.spawn()
      writeFileSync(join(folder, 'larger.bin'), Buffer.alloc(9000))
      await page.getByText(/larger\.bin: it has 8\.8 KiB/).waitFor()
      let skips = 0
      for await (const event of readLog(stage.hub, at)) if (isSkip(event)) skips += 1
      expect(skips).toBe(3)
      expect(visit.wrongs).toEqual([])
      await visit.close()
    },
  )
})
